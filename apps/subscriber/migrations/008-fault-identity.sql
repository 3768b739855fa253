-- The interface and the document that a fault concerns. The previous release leaves both empty.
ALTER TABLE fault ADD COLUMN interface text;
ALTER TABLE fault ADD COLUMN document text;
