/** The maximum number of moments in any period shorter than `ms`, counted from each of them. Simple, as it checks other code. */
export function maxInAnyWindow(moments: readonly number[], ms: number): number {
  const counts = moments.map((from) => moments.filter((at) => from <= at && at < from + ms).length);
  return Math.max(0, ...counts);
}
