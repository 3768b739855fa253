-- Plain delivery: the pairs of clientId and from with which a channel was read. A bus keeps a durable consumer for each, perhaps indefinitely, so a
-- pair is recorded before its first request, is not used again after a failed read, and counts towards a limit for each day.
CREATE TABLE catch_up_consumer (
  client_id      text NOT NULL,
  channel        text COLLATE "C" NOT NULL,
  -- The `from` of its requests, epoch milliseconds.
  from_ms        bigint NOT NULL,
  -- The `clientId` of its requests.
  read_client_id text NOT NULL,
  -- False once the gateway was seen to keep no consumer.
  counts         boolean NOT NULL DEFAULT true,
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (client_id, channel, from_ms)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON catch_up_consumer TO subscriber;
