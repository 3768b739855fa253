import type { AlertRule, OperatorConfig } from '@ssb/config';
import { Database } from '@ssb/postgres';
import { createAlertPolicy } from '../../src/archive/alert-policy.js';
import type { ArchiveOptions } from '../../src/archive/archive.js';
import type { VerifiedEntry } from '../../src/archive/archive-entries.js';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import type { ReaderToken } from '../../src/replica/reader-lease.js';
import { createArchive, openSubscriberDatabase, type SubscriberDatabase } from './subscriber-database.js';

/** The archive of a test file whose rules decide what the sinks get. It is empty at the beginning of each test. */
export function useRuledArchive(sinks: OperatorConfig['alerts']['sinks'] = []) {
  let storage: SubscriberDatabase;
  let otherDatabase: Database;
  let reader: ReaderToken;
  let config: Pick<OperatorConfig, 'alerts'> = { alerts: { sinks, rules: [] } };

  const withSinksOf = (rules: readonly AlertRule[]): typeof sinks => {
    const known = config.alerts.sinks;
    const named = rules.flatMap((rule) => [...rule.sinks, ...(rule.escalate?.sinks ?? [])]);
    const added = new Set(named.filter((name) => known.every((sink) => sink.name !== name)));
    return [...known, ...[...added].map((name) => ({ name, kind: 'log' as const }))];
  };

  const clear = async (): Promise<void> => {
    await storage.clear();
    reader = await storage.newReader();
  };
  beforeAll(async () => {
    storage = await openSubscriberDatabase();
    otherDatabase = new Database({ url: storage.url, schema: SCHEMA });
  });
  beforeEach(clear);
  afterAll(async () => {
    await otherDatabase.close();
    await storage.close();
  });

  return {
    get storage(): SubscriberDatabase {
      return storage;
    },
    get database(): Database {
      return storage.database;
    },
    /** That of another replica. */
    get otherDatabase(): Database {
      return otherDatabase;
    },
    get config(): OperatorConfig {
      return config as OperatorConfig;
    },
    clear,
    /** The configuration keeps the sinks of earlier rules. */
    useRules: (...rules: AlertRule[]): void =>
      void (config = { alerts: { sinks: withSinksOf(rules), rules } }),
    record: (...entries: VerifiedEntry[]) => recordWith({}, ...entries),
    recordWith,
    select: <Row>(sql: string) => storage.database.query<Row>(sql),
  };

  function recordWith(change: Partial<ArchiveOptions>, ...entries: VerifiedEntry[]) {
    const alertPolicy = () => createAlertPolicy(config as OperatorConfig);
    return createArchive(storage.database, { alertPolicy, ...change }).recordEntries(
      entries,
      new Date(),
      reader,
    );
  }
}
