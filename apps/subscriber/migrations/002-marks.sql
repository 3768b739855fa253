-- What a reader of an archived event must know besides the event: late, clockSkew, local.
ALTER TABLE archive ADD COLUMN marks text[] NOT NULL DEFAULT '{}';
