/** The most of these moments that lie within one stretch of `ms`, wherever it is laid. @param moments in order */
export function mostInAnyWindow(moments: readonly number[], ms: number): number {
  let most = 0;
  let from = 0;
  moments.forEach((moment, at) => {
    while (moment - (moments[from] ?? 0) >= ms) from += 1;
    most = Math.max(most, at - from + 1);
  });
  return most;
}
