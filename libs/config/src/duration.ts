const MS_BY_UNIT: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
};

/** A whole number with a unit: `30s`, `10m`, `26h`, `2d`. */
export const DURATION = /^(\d{1,9})([smhd])$/;

/** Milliseconds of a duration; undefined for a text of another form. */
export function tryParseDuration(text: string): number | undefined {
  const [, number = '', unit = ''] = DURATION.exec(text) ?? [];
  const msOfUnit = MS_BY_UNIT[unit];
  return msOfUnit === undefined ? undefined : Number(number) * msOfUnit;
}
