/** The server's environment variables that git sees: paths of programs and the user's settings; no GIT_*, no secret. */
export function gitEnvironment(source: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return { PATH: source.PATH ?? '/usr/local/bin:/usr/bin:/bin', HOME: source.HOME ?? '/' };
}
