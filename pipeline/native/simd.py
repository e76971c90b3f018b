"""The functions and operators of `vectors.py` in LLVM's language. Only compiling imports this.

LLVM maps them to the vector operations of the processor, so no loop has to be vectorised.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

from pipeline.native import vectors

_INDEX = ir.IntType(32)


class Vector(types.Type):
    """Words of so many bits each."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Vector({bits})")

    @property
    def llvm(self) -> Any:
        return ir.VectorType(ir.IntType(self.bits), 8 * vectors.VECTOR_BYTES // self.bits)


@register_model(Vector)
class _Model(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, fe_type.llvm)


_Typing = Callable[..., Any]
"""From the types of arguments to that of the result; None if a function does not take them."""


def _define(function: Callable[..., Any], kinds: tuple[Any, ...], typing: _Typing) -> Any:
    """Have what is decorated emit a function of arguments of such kinds, in LLVM's language."""

    @infer_global(function)
    class _Template(AbstractTemplate):
        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            fits = len(args) == len(kinds) and all(map(isinstance, args, kinds))
            result = typing(*args) if fits else None
            return None if result is None else signature(result, *args)

    return lower_builtin(function, *kinds)


def _first(one: Any, *_others: Any) -> Any:
    return one


def _if_equal(one: Any, other: Any) -> Any:
    return one if one == other else None


def _operator(function: Callable[..., Any], emit: str, kinds: tuple[Any, ...], typing: Any) -> None:
    @_define(function, kinds, typing)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, emit)(*args)


_operator(operator.and_, "and_", (Vector, Vector), _if_equal)
_operator(operator.or_, "or_", (Vector, Vector), _if_equal)
_operator(operator.xor, "xor", (Vector, Vector), _if_equal)
_operator(operator.add, "add", (Vector, Vector), _if_equal)
_operator(operator.sub, "sub", (Vector, Vector), _if_equal)
_operator(operator.invert, "not_", (Vector,), _first)


def _shift(function: Callable[..., Any], emit: str) -> None:
    @_define(function, (Vector, types.Integer), _first)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        by = builder.trunc(args[1], ir.IntType(sig.args[0].bits))
        return getattr(builder, emit)(args[0], _spread(builder, by, sig.args[0]))


_shift(operator.lshift, "shl")
_shift(operator.rshift, "lshr")


def _spread(builder: Any, word: Any, vector: Any) -> Any:
    one = builder.insert_element(ir.Constant(vector.llvm, ir.Undefined), word, _INDEX(0))
    zeros = ir.Constant(ir.VectorType(_INDEX, vector.llvm.count), None)
    return builder.shuffle_vector(one, one, zeros)


def _vector_in(array: Any, *_others: Any) -> Any:
    return Vector(array.dtype.bitwidth)


def _address(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    array = sig.args[0]
    data = context.make_array(array)(context, builder, args[0]).data
    kind = _vector_in(array).llvm
    index = builder.mul(args[1], args[1].type(kind.count))
    return builder.bitcast(builder.gep(data, [index]), kind.as_pointer())


@_define(vectors.load, (types.Array, types.Integer), _vector_in)
def _load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.load(_address(context, builder, sig, args), align=_bytes(sig))


@_define(vectors.store, (types.Array, types.Integer, Vector), lambda *_: types.none)
def _store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    builder.store(args[2], _address(context, builder, sig, args), align=_bytes(sig))
    return context.get_dummy_value()


def _bytes(sig: Any) -> int:
    width: int = sig.args[0].dtype.bitwidth // 8
    return width


@_define(vectors.spread, (types.Integer,), lambda word: Vector(word.bitwidth))
def _spread_word(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _spread(builder, args[0], sig.return_type)


@_define(vectors.filled, (Vector,), _first)
def _filled(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.return_type.llvm
    some = builder.icmp_unsigned("!=", args[0], ir.Constant(kind, [0] * kind.count))
    return builder.sext(some, kind)


@_define(vectors.bits_set, (Vector,), _first)
def _bits_set(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.return_type.llvm
    name = f"llvm.ctpop.v{kind.count}i{kind.element.width}"
    count = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name)
    return builder.call(count, args)


@_define(vectors.bits_set, (types.Integer,), _first)
def _bits_of_word(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.ctpop(args[0])


@_define(vectors.lowest_bit, (types.Integer,), lambda _word: types.int64)
def _lowest_bit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.cttz(args[0], ir.IntType(1)(1))
