const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * What stands for one sender among network addresses, as Node writes them. An IPv4 address is one, also inside IPv6 (RFC 4291 §2.5.5.2). Of
 * an IPv6 address it is the first 64 bits: whoever has one of them has them all (RFC 4291 §2.5.1, RFC 6177 §2).
 */
export function networkOf(address: string): string {
  const [, mapped] = MAPPED.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::', 2);
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = new Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const prefix = [...before, ...zeros, ...after].slice(0, 4);
  return `${prefix.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Sixteen bits each, hexadecimal. A zone (RFC 4007 §11) and an IPv4 tail stand behind the first 64 bits, so their form does not matter. */
function groups(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
