import { HEARTBEAT_TYPE } from '@ssb/config';

/** SQL: `margin`, the data of the newest margin event of the participant `code`, and its `archived_at`. It uses an index. */
export const NEWEST_MARGIN = `SELECT event::jsonb->'data' AS margin, archived_at FROM archive
  WHERE subject = code || '/prudential' AND participant = code AND type <> '${HEARTBEAT_TYPE}'
    AND type IN ('settlementbus.margin.warning.v1', 'settlementbus.margin.breached.v1', 'settlementbus.margin.restored.v1')
  ORDER BY fact_time DESC, sequence DESC LIMIT 1`;
