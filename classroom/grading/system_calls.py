"""What a sandbox may not ask of the kernel: a filter of system calls, as bubblewrap takes it.

Memory that belongs to no process, a second sandbox with rights of its own inside the first, a look into other
processes: no notebook needs them, and the limits would not count them. All else is allowed.
https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html
"""

import errno
import platform
import struct

NEW_USER = 0x10000000  # the flag of `clone` that begins a namespace of users
X32 = 0x40000000  # the bit of x86_64's second numbering
REFUSED = {  # the numbers on x86_64 and on aarch64
    "memfd_create": (319, 279),
    "shmget": (29, 194),
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
MACHINES = {"x86_64": (0xC000003E, 0, 56), "aarch64": (0xC00000B7, 1, 220)}  # its name for the kernel, column, clone
CLONE3 = 435  # its flags stand in memory, where no filter reads; without it the C library takes `clone`
LOAD, EQUAL, AT_LEAST, SHARE_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, ERROR, END = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16  # where they stand in what a filter reads


def program(machine=""):
    """Return the filter as bytes; b"" for a machine whose numbers are not known here."""
    if (machine := machine or platform.machine()) not in MACHINES:
        return b""
    name, column, clone = MACHINES[machine]
    steps = [
        *((LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, name), (RETURN, 0, 0, END)),
        *((LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, X32), (RETURN, 0, 0, END)),
    ]
    for number in (numbers[column] for numbers in REFUSED.values()):
        steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ERROR | errno.EPERM)]
    steps += [(EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, ERROR | errno.ENOSYS)]
    steps += [(EQUAL, 0, 3, clone), (LOAD, 0, 0, FIRST_ARGUMENT), (SHARE_BITS, 0, 1, NEW_USER)]
    steps += [(RETURN, 0, 0, ERROR | errno.EPERM), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("<HBBI", *step) for step in steps)
