import { standardOutput } from '@ssb/platform/cli';
import { stringify } from 'yaml';
import { configPath, readConfig } from '../operator-config.js';

export interface ShowConfigOptions {
  readonly file?: string;
  readonly output: 'yaml' | 'json';
}

export function showConfig({ file = configPath(), output }: ShowConfigOptions): void {
  const config = readConfig(file);
  const { sinks } = config.alerts;
  const shown = { ...config, alerts: { ...config.alerts, sinks: sinks.map((sink) => hideSecrets(sink)) } };
  // The form of JSON has texts for dates. A zero byte marks the name of a variable that is not set.
  const plain = JSON.parse(JSON.stringify(shown).replaceAll('\\u0000', '')) as object;
  if (output === 'json') standardOutput.writeJson(plain);
  else standardOutput.write(stringify(plain));
}

const HIDDEN = '…';

/** Members of a sink whose values can be secret. Those that end in File or Files name files. */
function hideSecrets(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      if (name === 'secret' && member !== undefined) return [name, HIDDEN];
      if (name === 'headers' && member !== undefined)
        return [name, mapValues(member as object, () => HIDDEN)];
      if (/url$/i.test(name) && typeof member === 'string') return [name, hidePath(member)];
      if (name === 'oauth' && member !== undefined) return [name, hideSecrets(member as object)];
      return [name, member];
    }),
  );
}

const mapValues = (value: object, map: (each: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(value).map(([name, each]) => [name, map(each)]));

/** User, path and query of an address can be its secret. */
function hidePath(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, href } = new URL(address);
  return href === `${origin}/` ? origin : `${origin}/${HIDDEN}`;
}
