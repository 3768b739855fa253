/** The command that lists the resources of a path of the archive API. */
const LISTINGS: Readonly<Record<string, string>> = {
  backfills: 'backfill --from <date>',
  'dead-letters': 'dead-letters list',
  deliveries: 'deliveries list',
  documents: 'documents list',
  events: 'events list',
  problems: 'problems list',
  quarantine: 'quarantine list',
  requests: 'requests list',
  silences: 'silences list --all',
  sinks: 'sinks list',
  statements: 'calendar',
};

/** The command for a path such as `/v1/problems/3f2a9c`; undefined for another address. */
export function findListing(path: string): string | undefined {
  const command = LISTINGS[/^\/v1\/([\w-]+)/.exec(path)?.[1] ?? ''];
  return command && `"busbridge ${command}"`;
}

/** A sentence of the API with commands in place of its paths. */
export const withCommands = (sentence: string): string =>
  sentence.replaceAll(/\/v1\/[\w-]+/g, (path) => findListing(path) ?? path);
