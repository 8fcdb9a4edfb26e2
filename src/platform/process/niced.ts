/** Of a run, from 0 to 19: at the same CPU a server has 9 times the share of what has this. */
const NICE = 10;

/** The kernel may group by session what is to share a CPU; then only the niceness of the group counts. */
const YIELD = `{ echo ${NICE} > /proc/self/autogroup; } 2>/dev/null; exec nice -n ${NICE} "$@"`;

interface Command {
  program: string;
  args: readonly string[];
}

/** The same program with a small share of a busy CPU: runs must never keep their server from renewing its lease. */
export const niced = ({ program, args }: Command): Command => ({
  program: 'sh',
  args: ['-c', YIELD, 'sh', program, ...args],
});
