import { classifyStorageFailure, describeRefusal } from './storage-failure.js';

const serverError = (code: string, constraint?: string): Error =>
  Object.assign(new Error('refused'), { code, constraint });

describe('a failed write', () => {
  it.each('22021 22P05 22P02 22003 22007 22001 23502 23503 23505 23514 54000 54001 54011'.split(' '))(
    'with SQLSTATE %s shows a message that can never be stored',
    (code) => {
      expect(classifyStorageFailure(serverError(code, 'some_check'))).toBe('message');
    },
  );

  it.each(
    '08006 0A000 25006 28P01 3D000 40001 40P01 42501 42P01 53100 53200 53300 55P03 57014 58030 XX000'.split(
      ' ',
    ),
  )('with SQLSTATE %s shows a database that is broken now', (code) => {
    expect(classifyStorageFailure(serverError(code))).toBe('database');
  });

  it.each(['archive_pkey', 'quarantine_pkey', 'quarantine_recheck_pkey', 'replica_pkey'])(
    'of the primary key %s shows a sequence that is behind',
    (constraint) => {
      expect(classifyStorageFailure(serverError('23505', constraint))).toBe('identity');
    },
  );

  it.each(['problem_pkey', 'problem_open', 'problem_change_pkey'])(
    'of %s shows another transaction with the same problem, so it is repeated',
    (constraint) => {
      expect(classifyStorageFailure(serverError('23505', constraint))).toBe('database');
    },
  );

  it('without a SQLSTATE shows a broken database, or a statement that Node cannot hold', () => {
    expect(classifyStorageFailure(new Error('Connection terminated'))).toBe('database');
    expect(classifyStorageFailure(serverError('ECONNREFUSED'))).toBe('database');
    expect(classifyStorageFailure(new RangeError('Invalid string length'))).toBe('message');
  });

  it('is described without the values of the message', () => {
    expect(describeRefusal(serverError('23514', 'archive_size'))).toBe(
      'SQLSTATE 23514, violated constraint (archive_size)',
    );
    expect(describeRefusal(new RangeError('Invalid string length'))).toBe('the statement is too large');
  });
});
