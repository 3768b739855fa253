/**
 * Removes the variables of PostgreSQL's own programs, such as PGSSLMODE and PGPORT, from this process. Clients and servers that it starts are
 * then configured by their addresses alone.
 */
export function removePostgresVariables(environment: NodeJS.ProcessEnv = process.env): void {
  for (const name of Object.keys(environment)) if (/^PG[A-Z]/.test(name)) delete environment[name];
}

/** The environment of the server's programs. The variables of the starter may hold secrets. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] };
}
