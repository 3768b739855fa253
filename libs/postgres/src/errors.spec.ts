import pg from 'pg';
import { DatabaseUnavailableError, endsSession, toDatabaseError } from './errors.js';

function serverError(code: string, severity = 'ERROR'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('refused', 0, 'error'), { code, severity });
}

describe('an error of the server', () => {
  it.each(
    '08006 25006 25P02 25P03 25P04 26000 34000 57P01 57P02 57P03 57P05 0A000 42501 53200 XX000'.split(' '),
  )('%s belongs to the session, which is closed', (code) => {
    expect(endsSession(toDatabaseError(serverError(code)))).toBe(true);
  });

  it.each('22021 22P05 23505 40001 42P01 42601 53100 54000 55P03 57014 58030'.split(' '))(
    '%s leaves the session usable',
    (code) => {
      expect(endsSession(toDatabaseError(serverError(code)))).toBe(false);
    },
  );

  it('of the severity FATAL closes the session, whatever its code', () => {
    expect(endsSession(serverError('42601', 'FATAL'))).toBe(true);
  });

  it.each(['08006', '25006', '57P01', '57P03', '53300'])('%s makes the database unavailable', (code) => {
    expect(toDatabaseError(serverError(code))).toBeInstanceOf(DatabaseUnavailableError);
  });
});
