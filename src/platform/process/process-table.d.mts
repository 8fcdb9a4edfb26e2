/** Variable that carries the marker of a run to all its descendants. */
export const markerVariable: 'TASKYARD_RUN';

/** SIGKILLs every process whose environment carries one of the markers, whatever its group and session, until none is
 *  found (at most 2 s). What has replaced its environment is not found.
 *  @param since what started earlier is not looked into, which takes most of a look: when the first of them started, as
 *  `startedAt` says it */
export function sweep(markers: Iterable<string>, since?: number | null): Promise<void>;

/** Sends a signal; a negative number means the process group, 0 only asks whether it exists. False when it is gone
 *  or not ours. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean;

/** Start of a process in clock ticks since boot: with the pid it names a process for ever. Null when there is none,
 *  or no /proc. */
export function startedAt(pid: number): number | null;
