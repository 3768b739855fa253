/** Members of a record as one line, such as `sink: treasury; unverified: no`. Absent ones are left out. */
export function describeMembers(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => `${name}: ${describeValue(value)}`)
    .join('; ');
}

function describeValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(describeValue).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
