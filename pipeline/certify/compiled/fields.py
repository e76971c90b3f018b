"""Fields: a numba type of LANES numbers of FIELD bits side by side, and what can be done with them.

That is one register of AVX-512, two of AVX2, or four of NEON.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from pipeline.certify.compiled.state import FIELD, LANES

_IR = ir.VectorType(ir.IntType(FIELD), LANES)
_BITS_SET = f"llvm.ctpop.v{LANES}i{FIELD}"


class FieldsType(types.Type):
    def __init__(self) -> None:
        super().__init__(name="Fields")


fields = FieldsType()


@register_model(FieldsType)
class _Model(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _IR)


for _function, _taken, _name in (
    (operator.and_, (fields, fields), "and_"),
    (operator.or_, (fields, fields), "or_"),
    (operator.xor, (fields, fields), "xor"),
    (operator.add, (fields, fields), "add"),
    (operator.invert, (fields,), "not_"),
):

    @infer_global(_function)
    class _Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any, taken: Any = _taken) -> Any:
            return signature(fields, *taken) if args == taken else None

    @lower_builtin(_function, *_taken)
    def _lower(context: Any, builder: Any, sig: Any, args: Any, name: str = _name) -> Any:
        return getattr(builder, name)(*args)


def _row(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    first = builder.mul(index, index.type(LANES))
    return builder.bitcast(builder.gep(data, [first]), _IR.as_pointer())


@intrinsic
def load(typingctx, array, index):
    """Row number `index` of a contiguous array of LANES columns."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_row(context, builder, sig.args[0], *args), align=2)

    return fields(array, types.intp), codegen


@intrinsic
def store(typingctx, array, index, value):
    """Make `value` row number `index` of such an array."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        to = _row(context, builder, sig.args[0], *args[:2])
        builder.store(args[2], to, align=2)
        return context.get_dummy_value()

    return types.none(array, types.intp, value), codegen


def _constant(number: int) -> Any:
    @intrinsic
    def constant(typingctx):
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return ir.Constant(_IR, [number] * LANES)

        return fields(), codegen

    return constant


no_value, nine_values = _constant(0), _constant(0b111_111_111)


@intrinsic
def without_lowest(typingctx, value):
    """Each field without the lowest of its bits."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        one = ir.Constant(_IR, [1] * LANES)
        return builder.and_(args[0], builder.sub(args[0], one))

    return fields(fields), codegen


@intrinsic
def bits_set(typingctx, value):
    """How many bits of each field are set."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(_IR, [_IR])
        count = cgutils.get_or_insert_function(builder.module, kind, _BITS_SET)
        return builder.call(count, args)

    return fields(fields), codegen


@intrinsic
def filled(typingctx, value):
    """All bits of each field that has any."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        some = builder.icmp_unsigned("!=", args[0], ir.Constant(_IR, [0] * LANES))
        return builder.sext(some, _IR)

    return fields(fields), codegen
