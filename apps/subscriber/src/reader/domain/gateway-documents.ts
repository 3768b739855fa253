import { parse } from 'yaml';

/** Whether an AsyncAPI document (2 or 3) declares the query `ack=explicit` of `/events`. */
export function declaresAcknowledgement(wsYaml: string): boolean {
  const channels = entriesOf(member(parseDocument(wsYaml), 'channels'));
  return channels.some(([name, channel]) => {
    const address = member(channel, 'address') ?? name;
    const ack = member(channel, 'bindings', 'ws', 'query', 'properties', 'ack');
    const values = [member(ack, 'const'), ...listOf(member(ack, 'enum'))];
    return address === '/events' && values.includes('explicit');
  });
}

/** Undefined for a text that is not YAML, or that expands too many aliases. */
function parseDocument(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function member(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((parent, name) => new Map(entriesOf(parent)).get(name), value);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
