"""A program as machine code that needs neither numba nor Python.

numba compiles it to LLVM's language, with paths for errors that call numba and Python. Such paths
are never taken, as a program raises nothing, and owns no array. So their calls become traps, and
the whole an object file. Linking that takes milliseconds, where loading numba takes most of a
second. Only compilers import this module; compiling takes some ten seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import cfunc, njit, typeof, types
from numba.core.extending import intrinsic
from numba.np.arrayobj import populate_array

from pipeline.native import simd  # noqa: F401 - tells numba what vectors are

_OPTIONS = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "no_cpython_wrapper": True,  # nothing here is called from Python
    "no_cfunc_wrapper": True,
}
_WORD = ir.IntType(64)


def object_code(
    function: str, modules: Sequence[ModuleType], arguments: tuple[Any, ...], name: str
) -> bytes:
    """An object file for this machine that defines the function under that name.

    `function` is the name of one in the first of the modules; `arguments` are an example of what it
    takes. What is defined takes a pointer to 64-bit numbers, as `native.flattened` makes them.
    Raises RuntimeError for machine code that would call anything else, and what numba raises.
    """
    with _compiled_by_numba(modules):
        compiled = cfunc(types.int64(types.CPointer(types.int64)), **_OPTIONS)(
            _entry(vars(modules[0])[function], typeof(arguments))
        )
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(compiled.inspect_llvm())
    _cut_off(module)
    module.get_function(compiled.native_name).name = name
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )
    code: bytes = machine.emit_object(module)
    return code


@contextmanager
def _compiled_by_numba(modules: Sequence[ModuleType]) -> Iterator[None]:
    """Put numba's functions in place of those that are marked `compiled`, for a while."""
    marked = [
        (module, name, function)
        for module in modules
        for name, function in vars(module).items()
        if hasattr(function, "compile_with")
    ]
    made = {
        function: njit(**_OPTIONS, **function.compile_with)(function) for *_, function in marked
    }
    try:
        for module, name, function in marked:
            setattr(module, name, made[function])
        yield
    finally:
        for module, name, function in marked:
            setattr(module, name, function)


def _entry(main: Callable[..., Any], kinds: Any) -> Callable[..., Any]:
    @intrinsic
    def arguments(typingctx, numbers):
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            places = iter(range(2**31))

            def following() -> Any:
                return builder.load(builder.gep(args[0], [_WORD(next(places))]))

            return _made(context, builder, kinds, following)

        return kinds(numbers), codegen

    def entry(numbers):
        return int(main(*arguments(numbers)))

    return entry


def _made(context: Any, builder: Any, kind: Any, following: Callable[[], Any]) -> Any:
    """A value of that type of numba's, from the numbers that follow."""
    if isinstance(kind, types.BaseTuple):
        parts = [_made(context, builder, each, following) for each in kind.types]
        return context.make_tuple(builder, kind, parts)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder)
        item = context.get_data_type(kind.dtype)
        data = builder.inttoptr(following(), item.as_pointer())
        size = _WORD(context.get_abi_sizeof(item))
        shape = [following() for _ in range(kind.ndim)]
        strides = [size]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        populate_array(array, data, shape, strides, size, meminfo=None)
        return array._getvalue()  # noqa: SLF001 - numba's way to have it
    return context.cast(builder, following(), types.int64, kind)


def _cut_off(module: Any) -> None:
    """Define all that is only declared: functions as traps, values as zeros."""
    missing = [each.name for each in module.functions if each.is_declaration]
    missing = [name for name in missing if not name.startswith("llvm.")]
    values = [each.name for each in module.global_variables if each.is_declaration]
    text = "declare void @llvm.trap()\n"
    for name in missing:
        text += f'define void @"{name}"() {{\n  call void @llvm.trap()\n  unreachable\n}}\n'
    for name in values:
        text += f'@"{name}" = global i8 0\n'
    module.link_in(llvm.parse_assembly(text))
    for name in missing:
        module.get_function(name).linkage = llvm.Linkage.internal
    for name in values:
        module.get_global_variable(name).linkage = llvm.Linkage.internal
    module.verify()
    for each in (*module.functions, *module.global_variables):
        if each.is_declaration and not each.name.startswith("llvm."):
            raise RuntimeError(f"the machine code needs {each.name}")
