-- The version of the operator's document that an event states. Events of earlier releases have none, so an invoice among them is archived
-- again when it is restated.
ALTER TABLE archive ADD COLUMN document_version text COLLATE "C";
