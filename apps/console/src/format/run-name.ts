interface Run {
  readonly market: string;
  readonly period?: string | undefined;
  readonly periodFrom: string;
  readonly designation: string;
}

/** A settlement run as people say it, such as `WEM TW 13 SEP 2026 INITIAL`. */
export function nameRun({ market, period, periodFrom, designation }: Run): string {
  return `${market} ${period ?? periodFrom} ${designation}`;
}
