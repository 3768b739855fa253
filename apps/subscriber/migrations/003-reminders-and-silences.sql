-- A delivery that a rule or a silence withholds is never attempted: delivered_at is then the time at which it was added.
ALTER TABLE delivery
  ADD COLUMN withheld text CHECK (withheld IN ('muted', 'silenced', 'min-interval', 'grouped')),
  -- What a body of its own has besides the archived event, as it was when the delivery was added.
  ADD COLUMN details json;

-- When the last delivery was added that was not withheld.
ALTER TABLE delivery_subject ADD COLUMN added_at timestamptz;
