"""A function as machine code that needs neither numba nor Python.

numba compiles it to LLVM's language, with paths for errors that call numba and Python. Such paths
must never be taken: the function raises nothing, and owns no array. So what they call is replaced
by a trap, and the rest becomes an object file. It is linked in milliseconds, where loading numba
takes most of a second. Only compilers import this: what they do takes some ten seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from numba import cfunc

_CALLED = re.compile(r"^declare (.+?) @(?!llvm\.)([^(]+\(.*\)).*$", re.MULTILINE)
_TRAP = r"define internal \1 @\2 {\n  call void @llvm.trap()\n  unreachable\n}"
_READ = re.compile(r"^(@\S+ =) external global i8$", re.MULTILINE)
_NOTHING = r"\1 internal global i8 0"


def object_code(function: Callable[..., Any], signature: Any, name: str) -> bytes:
    """An object file for this machine that defines the function under that name.

    `signature` is of numba's types, and takes arrays as pointers, of which the function makes
    arrays by `carray`.

    Raises RuntimeError for machine code that would call anything else, and what numba raises.
    """
    compiled = cfunc(signature, error_model="numpy", boundscheck=False)(function)
    text = _READ.sub(_NOTHING, _CALLED.sub(_TRAP, compiled.inspect_llvm()))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(f"{text}\ndeclare void @llvm.trap()\n")
    module.verify()
    left = [
        each.name for each in (*module.functions, *module.global_variables) if each.is_declaration
    ]
    if left := [each for each in left if not each.startswith("llvm.")]:
        raise RuntimeError(f"the machine code of {name} needs {', '.join(left)}")
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
