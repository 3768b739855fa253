const RFC_3339 = /^(.+?)(?:\.(\d{1,9}))?Z$/;

/**
 * Nanoseconds of the epoch from JetStream's timestamp (RFC 3339 in UTC, up to nine digits of a second), exact to the digit.
 * @throws RangeError for any other text
 */
export function nanosOfTimestamp(timestamp: string): bigint {
  const [, seconds, fraction = ''] = RFC_3339.exec(timestamp) ?? [];
  const milliseconds = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`);
  if (Number.isNaN(milliseconds)) throw new RangeError(`${timestamp} is no timestamp of JetStream`);
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
