/** The environment that the commands read. Options of a command line take precedence. */
export const environment: Readonly<Record<string, string | undefined>> = process.env;
