/** Whether two parsed JSON values are equal. Compares own properties only, because a member may be named `toString`. */
export function isJsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isJsonEqual(left[name], right[name]))
  );
}

/** A function that finds a parsed JSON value in a list. */
export function createJsonFinder(list: readonly unknown[]): (value: unknown) => boolean {
  const scalars = new Set(list.filter((item) => !isContainer(item)));
  const containers = list.filter(isContainer);
  return (value) =>
    isContainer(value) ? containers.some((item) => isJsonEqual(item, value)) : scalars.has(value);
}

/** Whether no two items of a list of parsed JSON values are equal. */
export function areUnique(list: readonly unknown[]): boolean {
  const containers = list.filter(isContainer);
  const scalars = new Set(list.filter((item) => !isContainer(item)));
  return (
    scalars.size + containers.length === list.length &&
    containers.every((item, index) => containers.findIndex((other) => isJsonEqual(item, other)) === index)
  );
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
