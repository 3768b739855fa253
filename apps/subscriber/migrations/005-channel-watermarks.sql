-- Plain delivery: up to where a channel was read with GET /message. What a gateway pushes does not move it.
CREATE TABLE channel_watermark (
  client_id        text NOT NULL,
  channel          text COLLATE "C" NOT NULL,
  -- Time of the last message that was read, by the clock of the bus; 0 before the first one.
  read_up_to_nanos numeric NOT NULL,
  -- Everything that the bus stored before this time was read.
  complete_until   timestamptz NOT NULL,
  -- The end of the last gap that the gateway left. Reading does not begin before it, so the gap is reported once.
  gap_end_nanos    numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (client_id, channel)
);

GRANT SELECT, INSERT, UPDATE ON channel_watermark TO subscriber;
