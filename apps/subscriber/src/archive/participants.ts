import type { OperatorConfig } from '@ssb/config';
import type { SqlSession } from '@ssb/postgres';

/** A time before which facts of a participant are archived without an alert. */
export type AlertsSince = ReadonlyMap<string, Date>;

/**
 * Records participants that were not seen before, with the database's time. The first write of all replicas counts, and it never changes.
 * @returns the recorded time of each participant
 */
export async function recordParticipants(
  session: SqlSession,
  participants: readonly string[],
): Promise<AlertsSince> {
  const codes = [...new Set(participants)];
  if (codes.length === 0) return new Map();
  const select = () =>
    session.query<{ code: string; alerts_since: Date }>(
      'SELECT code, alerts_since FROM participant WHERE code = ANY ($1::text[])',
      [codes],
    );
  let rows = await select();
  if (rows.length < codes.length) {
    await session.query(
      `INSERT INTO participant (code) SELECT code FROM unnest($1::text[]) AS given (code) ORDER BY code ON CONFLICT DO NOTHING`,
      [codes],
    );
    rows = await select();
  }
  return new Map(rows.map(({ code, alerts_since }) => [code, alerts_since]));
}

/** The participants of the configuration. Facts that are published after they were recorded are delivered; older facts are only archived. */
export class ConfiguredParticipants {
  private recorded: OperatorConfig | undefined;

  constructor(private readonly session: SqlSession) {}

  /** Does nothing when this configuration was the last one. */
  async record(config: OperatorConfig): Promise<void> {
    if (this.recorded === config) return;
    await recordParticipants(
      this.session,
      config.participants.map(({ code }) => code),
    );
    this.recorded = config;
  }
}
