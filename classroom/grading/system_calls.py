"""The system call filter of the sandbox, in the format that bubblewrap takes.

It forbids memory that belongs to no process, nested namespaces and access to other processes, which no notebook needs
and the limits would miss. All other calls are allowed.
https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html
"""

import errno
import platform
import struct

NEW_USER = 0x10000000  # CLONE_NEWUSER
X32 = 0x40000000  # marks calls of the x32 ABI
REFUSED = {  # the numbers on x86_64 and on aarch64
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "open_by_handle_at": (304, 265),
    "io_uring_setup": (425, 425),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "memfd_secret": (447, 447),
}
MACHINES = {
    "x86_64": (0xC000003E, 0, 56),
    "aarch64": (0xC00000B7, 1, 220),
}  # AUDIT_ARCH constant, column in REFUSED, number of clone
CLONE3 = 435  # a filter cannot read its flags in memory; with ENOSYS the C library falls back to `clone`
LOAD, EQUAL, AT_LEAST, HAS_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, ERROR, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data


def filter_program(machine=""):
    """Return the filter as bytes; b"" for an unknown machine."""
    if (machine := machine or platform.machine()) not in MACHINES:
        return b""
    architecture, column, clone = MACHINES[machine]
    steps = [
        *((LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL)),
        *((LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL)),
    ]
    for number in (numbers[column] for numbers in REFUSED.values()):
        steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ERROR | errno.EPERM)]
    steps += [(EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, ERROR | errno.ENOSYS)]
    steps += [(EQUAL, 0, 3, clone), (LOAD, 0, 0, FIRST_ARGUMENT), (HAS_BITS, 0, 1, NEW_USER)]
    steps += [(RETURN, 0, 0, ERROR | errno.EPERM), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("<HBBI", *step) for step in steps)
