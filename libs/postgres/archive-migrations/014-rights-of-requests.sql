-- Nothing logs in with the role requests any more. Roles that are still its members lose its rights. An administrator may have dropped it.
DO $$
BEGIN
  IF to_regrole('requests') IS NOT NULL THEN
    REVOKE ALL ON ALL TABLES IN SCHEMA subscriber FROM requests;
    REVOKE ALL ON SCHEMA subscriber FROM requests;
  END IF;
END
$$;
