-- Nothing logs in with the role requests any more. Roles that are still its members lose its rights.
REVOKE ALL ON ALL TABLES IN SCHEMA subscriber FROM requests;
REVOKE ALL ON SCHEMA subscriber FROM requests;
