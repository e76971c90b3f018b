"""Compile a program to machine code that needs neither numba nor Python.

numba translates the program to LLVM, with error paths that call numba and Python. No program takes
these paths, because it raises no exception and owns no array. We replace these calls by traps, and
emit an object file. Linking that file takes milliseconds, while loading numba takes most of a
second. Only the compiling process imports this module.
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

from pipeline.native import simd  # noqa: F401 - registers vectors with numba

_NUMBA_OPTIONS = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "no_cpython_wrapper": True,  # nothing here is called from Python
    "no_cfunc_wrapper": True,
}
_WORD = ir.IntType(64)
"""The LLVM type of the numbers that machine code takes."""


def compile_object(
    function_name: str, modules: Sequence[ModuleType], arguments: tuple[Any, ...], symbol_name: str
) -> bytes:
    """Compile a function to an object file for this machine. Returns the content of that file.

    `function_name` names a function in the first of the modules, and `arguments` are an example of
    its arguments. The compiled function has the name `symbol_name`, and takes a pointer to the
    64-bit numbers of `native.flatten`. Raises RuntimeError if the code needs symbols that the file
    lacks, and any exception of numba.
    """
    with _numba_versions(modules):
        compiled = cfunc(types.int64(types.CPointer(types.int64)), **_NUMBA_OPTIONS)(
            _entry_point(vars(modules[0])[function_name], typeof(arguments))
        )
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(compiled.inspect_llvm())
    _replace_calls(module)
    module.get_function(compiled.native_name).name = symbol_name
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
def _numba_versions(modules: Sequence[ModuleType]) -> Iterator[None]:
    """Within a `with` statement, replace the functions marked `compiled` with numba's versions."""
    marked = [
        (module, name, function)
        for module in modules
        for name, function in vars(module).items()
        if hasattr(function, "compile_with")
    ]
    jitted = {
        function: njit(**_NUMBA_OPTIONS, **function.compile_with)(function)
        for *_, function in marked
    }
    try:
        for module, name, function in marked:
            setattr(module, name, jitted[function])
        yield
    finally:
        for module, name, function in marked:
            setattr(module, name, function)


def _entry_point(main: Callable[..., Any], argument_types: Any) -> Callable[..., Any]:
    """Return a function that takes a pointer to numbers, and calls `main` with encoded arguments.

    `argument_types` is numba's type of the tuple of arguments.
    """

    @intrinsic
    def arguments(typingctx, numbers):
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            positions = iter(range(2**31))

            def next_number() -> Any:
                return builder.load(builder.gep(args[0], [_WORD(next(positions))]))

            return _emit_value(context, builder, argument_types, next_number)

        return argument_types(numbers), codegen

    def entry(numbers):
        return int(main(*arguments(numbers)))

    return entry


def _emit_value(context: Any, builder: Any, kind: Any, next_number: Callable[[], Any]) -> Any:
    """Emit the code that builds a value of the numba type `kind` from the next numbers."""
    if isinstance(kind, types.BaseTuple):
        elements = [_emit_value(context, builder, inner, next_number) for inner in kind.types]
        return context.make_tuple(builder, kind, elements)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder)
        item = context.get_data_type(kind.dtype)
        data = builder.inttoptr(next_number(), item.as_pointer())
        size = _WORD(context.get_abi_sizeof(item))
        shape = [next_number() for _ in range(kind.ndim)]
        strides = [size]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        populate_array(array, data, shape, strides, size, meminfo=None)
        return array._getvalue()  # noqa: SLF001 - numba has no other way
    return context.cast(builder, next_number(), types.int64, kind)


def _replace_calls(module: Any) -> None:
    """Define the symbols that the module only declares: functions as traps, variables as zeros.

    Raises RuntimeError if a symbol remains undefined.
    """
    missing = [f.name for f in module.functions if f.is_declaration]
    missing = [name for name in missing if not name.startswith("llvm.")]
    values = [v.name for v in module.global_variables if v.is_declaration]
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
    for symbol in (*module.functions, *module.global_variables):
        if symbol.is_declaration and not symbol.name.startswith("llvm."):
            raise RuntimeError(f"the machine code needs {symbol.name}")
