/** The kit of downstream systems: a workspace, and the package that is published. */
export const DOWNSTREAM_PACKAGE = 'settlement-bus-downstream';

/** Whether a package, or a module or version of it, is a workspace of this repository. */
export function isOwnPackage(name: string): boolean {
  return name.startsWith('@ssb/') || new RegExp(`^${DOWNSTREAM_PACKAGE}(?=[/@]|$)`).test(name);
}
