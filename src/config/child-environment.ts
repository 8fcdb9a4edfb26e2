/** What git sees of the server's environment: where programs and the user's settings are, and nothing else (no GIT_*, no secret). */
export function gitEnvironment(source: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return { PATH: source.PATH ?? '/usr/local/bin:/usr/bin:/bin', HOME: source.HOME ?? '/' };
}
