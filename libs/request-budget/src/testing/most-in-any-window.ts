/** The greatest number of moments in any stretch of time that is shorter than `ms`, counted from each of them. Plain on purpose. */
export function mostInAnyWindow(moments: readonly number[], ms: number): number {
  const counts = moments.map((from) => moments.filter((at) => from <= at && at < from + ms).length);
  return Math.max(0, ...counts);
}
