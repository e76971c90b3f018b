"""Compile a program to machine code that needs neither numba nor Python.

numba translates the program to LLVM, with error paths that call numba and Python. No program takes
these paths, because it raises no exception and owns no array. We replace these calls by traps,
optimize the whole program, and emit an object file. Linking that file takes milliseconds, while
loading numba takes most of a second. Only the compiling process imports this module.

By default, numba optimizes each function together with all functions that it calls, and translates
them to machine code; with nested calls, it does so many times. It also compiles a function again
for each constant and each width of integer among its arguments. Without both, the largest program
compiles in half the time, and most programs run faster, because LLVM sees the whole program.

This relies on parts of numba that it does not document: `JITCodeLibrary` and `JITCPUCodegen`, of
which methods are overridden, `_internal_codegen` of the target, and `get_call_template` of a
function. The programs were compiled and passed their trials with numba 0.61.0, 0.63.1, 0.65.1
and 0.68.1 (`steps` only with 0.61.0 and 0.68.1). If another version lacks a part, compiling fails
and plain Python is used. Code is kept only if it passes the trial of its program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import cfunc, njit, typeof, types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.extending import intrinsic
from numba.core.registry import cpu_target
from numba.np.arrayobj import populate_array

from pipeline.native import simd  # noqa: F401 - registers vectors with numba

_NUMBA_OPTIONS = {
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "no_cpython_wrapper": True,  # nothing here is called from Python
    "no_cfunc_wrapper": True,
}
_REFERENCE_COUNTING = ("NRT_incref", "NRT_decref")
"""numba's functions that count the references to an array."""

_WORD = ir.IntType(64)
"""The LLVM type of the numbers that machine code takes."""


class _UnoptimizedLibrary(JITCodeLibrary):
    """The LLVM code of a function and of all functions that it calls, as numba writes it."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout  # noqa: SLF001 - as numba does

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_specific(self) -> None:
        pass


class _UnoptimizedCode(JITCPUCodegen):
    """Makes libraries that are never run in this process."""

    _library_class = _UnoptimizedLibrary

    def _add_module(self, module: Any) -> None:
        pass

    def set_env(self, env_name: str, env: Any) -> None:
        pass


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
    for function in module.functions:
        if function.name == compiled.native_name:
            function.name = symbol_name
        elif not function.is_declaration:
            function.linkage = llvm.Linkage.internal
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    for _ in range(2):  # inlining leaves constants and loops that only a second run simplifies
        builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


@contextmanager
def _numba_versions(modules: Sequence[ModuleType]) -> Iterator[None]:
    """Within a `with` statement, replace the functions marked `compiled` with numba's versions.

    numba then makes code that is not optimized.
    """
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
    for version in jitted.values():
        version.get_call_template = partial(_widen_arguments, version.get_call_template)
    context = cpu_target.target_context
    codegen = context._internal_codegen  # noqa: SLF001 - numba has no other way
    try:
        context._internal_codegen = _UnoptimizedCode("unoptimized")  # noqa: SLF001
        for module, name, function in marked:
            setattr(module, name, jitted[function])
        yield
    finally:
        context._internal_codegen = codegen  # noqa: SLF001
        for module, name, function in marked:
            setattr(module, name, function)


def _widen_arguments(
    resolve: Callable[[tuple[Any, ...], Any], Any], arguments: tuple[Any, ...], keywords: Any
) -> Any:
    """Resolve a call with the types of its arguments, signed integers and constants as int64."""
    return resolve(tuple(map(_widened, arguments)), keywords)


def _widened(kind: Any) -> Any:
    kind = types.unliteral(kind)
    if isinstance(kind, types.Integer) and kind.signed:
        return types.int64
    if type(kind) in (types.Tuple, types.UniTuple):
        return types.BaseTuple.from_types([*map(_widened, kind.types)])
    return kind


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

    The functions that count references to arrays do nothing: no program owns an array.
    Raises RuntimeError if a symbol remains undefined.
    """
    missing = [f.name for f in module.functions if f.is_declaration]
    missing = [name for name in missing if not name.startswith(("llvm.", *_REFERENCE_COUNTING))]
    values = [v.name for v in module.global_variables if v.is_declaration]
    text = "declare void @llvm.trap()\n"
    for function in module.functions:
        if function.name in _REFERENCE_COUNTING:  # a definition replaces one that is `linkonce_odr`
            kinds = ", ".join(str(argument.type) for argument in function.arguments)
            text += f"define void @{function.name}({kinds}) {{\n  ret void\n}}\n"
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
