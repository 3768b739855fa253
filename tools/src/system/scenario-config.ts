import { ensurePrivateFolder, writeFileAtomically } from '@ssb/platform';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { FurtherParticipant } from '../provision/further-participants.js';
import { hasBacklog, readScenario } from './scenario.js';

const LONG_AGO = '2020-01-01T00:00:00+08:00';

type Mapping = Readonly<Record<string, unknown>>;

/**
 * CONFIG_FILE for a scenario. If the scenario is not one of real time without an end, or there are further participants, it is a copy of
 * `configFile` in the folder: facts of the past alert, the settings are in `defaults`, and each further participant has an entry like the first
 * one, with its access.
 * @param simulatorSettings of the simulator
 * @returns the path of the copy, or `configFile` @throws ScenarioNotFoundError, ScenarioError
 */
export async function prepareConfigFile(
  scenario: string,
  configFile: string,
  folder: string,
  furtherParticipants: readonly FurtherParticipant[] = [],
  simulatorSettings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const isPresent = await hasBacklog(scenario, simulatorSettings);
  if (isPresent && furtherParticipants.length === 0) return configFile;
  ensurePrivateFolder(folder);
  const merged = join(folder, 'bridge.yaml');
  const read = await readScenario(scenario);
  const original = await readFile(configFile, 'utf8');
  const text = isPresent ? original : alertPast(original);
  const withSettings = read.kind === 'once' ? mergeIntoDefaults(text, read.settings) : text;
  await writeFileAtomically(merged, addParticipants(withSettings, furtherParticipants));
  return merged;
}

/** Facts of the past alert, too, as a scenario dates some of them back. @param text of a configuration file */
function alertPast(text: string): string {
  const config = parse(text) as Mapping & { readonly participants: readonly Mapping[] };
  const participants = config.participants.map((each) => ({ ...each, alertsSince: LONG_AGO }));
  return stringify({ ...config, participants });
}

/** Adds participants with the settings of the first one. */
function addParticipants(text: string, further: readonly FurtherParticipant[]): string {
  const config = parse(text) as Mapping & { readonly participants: readonly Mapping[] };
  const [first] = config.participants;
  const added = further.map(({ code, client, certificate }) => ({
    ...first,
    code,
    access: {
      clientId: client.id,
      clientSecretFile: client.secretFile,
      certFile: certificate.certificate,
      keyFile: certificate.key,
    },
  }));
  return stringify({ ...config, participants: [...config.participants, ...added] });
}

/** The same for the text of a configuration file. The result has no comments. */
export function mergeIntoDefaults(text: string, settings: Mapping): string {
  return stringify(mergeSettings(parse(text) as Mapping, settings));
}

/** Merges the settings of a scenario into `defaults` of a configuration, mapping by mapping. Business days and holidays are on its first level. */
export function mergeSettings(config: Mapping, settings: Mapping): Mapping {
  const { businessDays, holidays, ...defaults } = settings;
  return {
    ...config,
    defaults: merge(config['defaults'], defaults),
    ...(businessDays !== undefined && { businessDays }),
    ...(holidays !== undefined && { holidays }),
  };
}

function merge(before: unknown, after: unknown): unknown {
  if (!isMapping(before) || !isMapping(after)) return after;
  const changed = Object.entries(after).map(([key, value]) => [key, merge(before[key], value)] as const);
  return { ...before, ...Object.fromEntries(changed) };
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
