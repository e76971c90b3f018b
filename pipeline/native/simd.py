"""Teach numba the functions and operators of `vectors.py`, as LLVM instructions.

LLVM maps vector types directly to registers of the processor, without vectorising loops.
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
"""The LLVM type of an index in a vector."""


class Vector(types.Type):
    """numba's type of a vector whose words have `bits` bits each."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        super().__init__(name=f"Vector({bits})")

    @property
    def llvm(self) -> Any:
        return ir.VectorType(ir.IntType(self.bits), 8 * vectors.VECTOR_BYTES // self.bits)


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    """The representation of a vector in LLVM."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, fe_type.llvm)


_TypeRule = Callable[..., Any]
"""A function of the types of arguments. Returns the type of the result, or None for unsupported
types."""


def _define(function: Callable[..., Any], kinds: tuple[Any, ...], type_rule: _TypeRule) -> Any:
    """Make `function` known to numba for arguments of these kinds.

    Returns a decorator for the function that emits the code of `function`.
    """

    @infer_global(function)
    class _Template(AbstractTemplate):
        def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
            fits = len(args) == len(kinds) and all(map(isinstance, args, kinds))
            result = type_rule(*args) if fits else None
            return None if result is None else signature(result, *args)

    return lower_builtin(function, *kinds)


def _first_type(first: Any, *_: Any) -> Any:
    return first


def _common_type(a: Any, b: Any) -> Any:
    return a if a == b else None


def _define_operator(
    function: Callable[..., Any], instruction: str, kinds: tuple[Any, ...], type_rule: _TypeRule
) -> None:
    """Define an operator as one instruction. `instruction` names a method of `IRBuilder`."""

    @_define(function, kinds, type_rule)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


_define_operator(operator.and_, "and_", (Vector, Vector), _common_type)
_define_operator(operator.or_, "or_", (Vector, Vector), _common_type)
_define_operator(operator.xor, "xor", (Vector, Vector), _common_type)
_define_operator(operator.add, "add", (Vector, Vector), _common_type)
_define_operator(operator.sub, "sub", (Vector, Vector), _common_type)
_define_operator(operator.invert, "not_", (Vector,), _first_type)


def _define_shift(function: Callable[..., Any], instruction: str) -> None:
    """Define the shift of all words of a vector by the same distance."""

    @_define(function, (Vector, types.Integer), _first_type)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        distance = builder.trunc(args[1], ir.IntType(sig.args[0].bits))
        distances = _emit_broadcast(builder, distance, sig.args[0])
        return getattr(builder, instruction)(args[0], distances)


_define_shift(operator.lshift, "shl")
_define_shift(operator.rshift, "lshr")


def _emit_broadcast(builder: Any, word: Any, vector: Any) -> Any:
    """Emit the code that copies a word to all words of a vector of type `vector`."""
    single = builder.insert_element(ir.Constant(vector.llvm, ir.Undefined), word, _INDEX(0))
    zeros = ir.Constant(ir.VectorType(_INDEX, vector.llvm.count), None)
    return builder.shuffle_vector(single, single, zeros)


def _vector_type(array: Any, *_: Any) -> Any:
    return Vector(array.dtype.bitwidth)


def _emit_address(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Emit the code that computes the address of a vector from its array and its index."""
    array = sig.args[0]
    data = context.make_array(array)(context, builder, args[0]).data
    kind = _vector_type(array).llvm
    index = builder.mul(args[1], args[1].type(kind.count))
    return builder.bitcast(builder.gep(data, [index]), kind.as_pointer())


@_define(vectors.load, (types.Array, types.Integer), _vector_type)
def _load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.load(_emit_address(context, builder, sig, args), align=_word_bytes(sig))


@_define(vectors.store, (types.Array, types.Integer, Vector), lambda *_: types.none)
def _store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    builder.store(args[2], _emit_address(context, builder, sig, args), align=_word_bytes(sig))
    return context.get_dummy_value()


def _word_bytes(sig: Any) -> int:
    """Return the number of bytes of a word in the array that is the first argument."""
    width: int = sig.args[0].dtype.bitwidth // 8
    return width


@_define(vectors.broadcast, (types.Integer,), lambda word: Vector(word.bitwidth))
def _broadcast_word(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _emit_broadcast(builder, args[0], sig.return_type)


@_define(vectors.nonzero_mask, (Vector,), _first_type)
def _nonzero_mask(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.return_type.llvm
    is_nonzero = builder.icmp_unsigned("!=", args[0], ir.Constant(kind, [0] * kind.count))
    return builder.sext(is_nonzero, kind)


@_define(vectors.popcount, (Vector,), _first_type)
def _popcount(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    kind = sig.return_type.llvm
    name = f"llvm.ctpop.v{kind.count}i{kind.element.width}"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), name)
    return builder.call(function, args)


@_define(vectors.popcount, (types.Integer,), _first_type)
def _popcount_of_word(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.ctpop(args[0])


@_define(vectors.trailing_zeros, (types.Integer,), lambda _word: types.int64)
def _lowest_bit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.cttz(args[0], ir.IntType(1)(1))
