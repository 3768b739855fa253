/** A program that must be on the machine, and the Debian package that it comes in. */
export interface Program {
  /** What it is for, as a message names it. */
  readonly name: string;
  readonly aptPackage: string;
  /** Its file, or undefined when it is not there. */
  readonly find: (searchPath: string) => string | undefined;
}
