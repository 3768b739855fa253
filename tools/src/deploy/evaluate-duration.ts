/** With every tool in the cache. */
const MAX_MINUTES = 10;

export interface RunConditions {
  readonly toolsBuilt: boolean;
  /** True on a machine that does nothing else. */
  readonly ci: boolean;
}

/** Compares the duration of a run with its limit. Only CI fails, because another machine can be busy. */
export function evaluateDuration(
  durationMs: number,
  { toolsBuilt, ci }: RunConditions,
): { readonly outcome: 'ok' | 'warning' | 'failure'; readonly text: string } {
  const text = `all checks took ${Math.round(durationMs / 1_000)} s${toolsBuilt ? ', with the build of tools' : ''}`;
  if (toolsBuilt || durationMs <= MAX_MINUTES * 60_000) return { outcome: 'ok', text };
  return {
    outcome: ci ? 'failure' : 'warning',
    text: `${text}. The limit is ${MAX_MINUTES} minutes; make a check faster, or move it to a command of its own.`,
  };
}
