"""Vectors: a numba type of WORDS machine words side by side, and what can be done with them.

One vector is one register of AVX-512, two of AVX2, or four of NEON. LLVM compiles the operations to
what the processor has, so that nothing depends on loops being vectorised.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from pipeline.solving.compiled.state import WORD, WORDS

_IR = ir.VectorType(ir.IntType(WORD), WORDS)
_INDEX = ir.IntType(32)


class VectorType(types.Type):
    def __init__(self) -> None:
        super().__init__(name="Vector")


vector = VectorType()


@register_model(VectorType)
class _Model(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _IR)


def _operator(function: Callable[..., Any], emit: str, operands: int = 2) -> None:
    """Have numba compile an operator on vectors to an instruction of LLVM."""
    operand_types = (vector,) * operands

    @infer_global(function)
    class _Template(AbstractTemplate):
        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            return signature(vector, *operand_types) if args == operand_types else None

    @lower_builtin(function, *operand_types)
    def _lower(context: Any, builder: Any, sig: Any, args: tuple[Any, ...]) -> Any:
        return getattr(builder, emit)(*args)


_operator(operator.and_, "and_")
_operator(operator.or_, "or_")
_operator(operator.xor, "xor")
_operator(operator.iand, "and_")
_operator(operator.ior, "or_")
_operator(operator.ixor, "xor")
_operator(operator.invert, "not_", 1)


def _address(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    offset = builder.mul(index, index.type(WORDS))
    return builder.bitcast(builder.gep(data, [offset]), _IR.as_pointer())


def _spread(builder: Any, word: Any) -> Any:
    """A vector all of whose words are this one."""
    one = builder.insert_element(ir.Constant(_IR, ir.Undefined), word, _INDEX(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_INDEX, WORDS), None))


@intrinsic
def load(typingctx, array, index):
    """Vector number `index` of a contiguous array of words."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, sig.args[0], *args), align=8)

    return vector(array, types.intp), codegen


@intrinsic
def store(typingctx, array, index, value):
    """Make `value` vector number `index` of a contiguous array of words."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        to = _address(context, builder, sig.args[0], *args[:2])
        builder.store(args[2], to, align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, value), codegen


@intrinsic
def spread(typingctx, word):
    """The vector all of whose words are this one."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _spread(builder, args[0])

    return vector(types.uint64), codegen


@intrinsic
def shift_left(typingctx, value, by):
    """Shift every word of a vector to the left by as many bits."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.shl(args[0], _spread(builder, args[1]))

    return vector(vector, types.uint64), codegen


@intrinsic
def shift_right(typingctx, value, by):
    """Shift every word of a vector to the right by as many bits."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.lshr(args[0], _spread(builder, args[1]))

    return vector(vector, types.uint64), codegen


@intrinsic
def lowest_bit(typingctx, word):
    """The number of the lowest bit that is set in a word; undefined for 0."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.int64(types.uint64), codegen


@intrinsic
def bits_set(typingctx, word):
    """How many bits of a word are set."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen
