"""The search of `kernel.py` as machine code that needs neither numba nor Python.

numba compiles it to LLVM's language, with paths for errors that call numba and Python. Such paths
are never taken: the search raises nothing, and owns no array. So what they call is replaced by a
trap, and the rest becomes an object file. It is linked in milliseconds, where loading numba takes
most of a second. Only `loading.compile_into` imports this: compiling takes some ten seconds.
"""

from __future__ import annotations

import re

import llvmlite.binding as llvm
from numba import carray, cfunc, types

from pipeline.solvers.lanes.kernel import search
from pipeline.solvers.lanes.state import LANES, MOST_HALVES, ROW_WORDS, VECTORS, WORDS, Lanes

_CALLED = re.compile(r"^declare (.+?) @(?!llvm\.)([^(]+\(.*\)).*$", re.MULTILINE)
_TRAP = r"define internal \1 @\2 {\n  call void @llvm.trap()\n  unreachable\n}"
_READ = re.compile(r"^(@\S+ =) external global i8$", re.MULTILINE)
_NOTHING = r"\1 internal global i8 0"

_HALVES = LANES * MOST_HALVES
_WORDS, _NUMBERS = types.CPointer(types.uint64), types.CPointer(types.int64)
_STATE = (_WORDS, _WORDS, _NUMBERS, _NUMBERS, _WORDS, _NUMBERS, _NUMBERS, _NUMBERS)
_MASKS, _FLAGS = types.CPointer(types.uint16), types.CPointer(types.boolean)
_BYTES, _COUNT = types.CPointer(types.uint8), types.int64


def object_code(name: str) -> bytes:
    """An object file for this machine that defines the search as a function of that name.

    Its arguments are those of `kernel.search`, each array as a pointer: the eight of `Lanes`,
    masks, the number of puzzles, most, counts, grids, shared, its length, steps.

    Raises RuntimeError for machine code that would call anything else, and what numba raises.
    """
    answers = (_NUMBERS, _BYTES, _FLAGS, _COUNT, _COUNT)
    signature = types.boolean(*_STATE, _MASKS, _COUNT, _COUNT, *answers)
    compiled = cfunc(signature, error_model="numpy", boundscheck=False)(_search)
    text = _READ.sub(_NOTHING, _CALLED.sub(_TRAP, compiled.inspect_llvm()))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(f"{text}\ndeclare void @llvm.trap()\n")
    module.verify()
    left = [
        each.name for each in (*module.functions, *module.global_variables) if each.is_declaration
    ]
    if left := [each for each in left if not each.startswith("llvm.")]:
        raise RuntimeError(f"the compiled search needs {', '.join(left)}")
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


def _search(
    planes, idle, puzzle, last, candidates, owner, one_before, numbers,
    masks, puzzles, most, counts, grids, shared, shares, steps,
):  # fmt: skip
    lanes = Lanes(
        carray(planes, VECTORS * WORDS),
        carray(idle, WORDS),
        carray(puzzle, LANES),
        carray(last, LANES),
        carray(candidates, (_HALVES, ROW_WORDS)),
        carray(owner, _HALVES),
        carray(one_before, _HALVES),
        carray(numbers, 5),
    )
    return search(
        lanes,
        carray(masks, (puzzles, 81)),
        most,
        carray(counts, puzzles),
        carray(grids, (most, puzzles, 81)),
        carray(shared, shares),
        steps,
    )
