import { errorKind } from './error-body.js';

describe('the kind of an error code', () => {
  it.each([
    ['BUS::CHANNEL_NOT_FOUND', 'CHANNEL_NOT_FOUND'],
    ['DSB::CHANNEL_NOT_FOUND', 'CHANNEL_NOT_FOUND'],
    ['A::B::FORBIDDEN', 'FORBIDDEN'],
    ['FORBIDDEN', 'FORBIDDEN'],
    ['BUS::FORBIDDEN_RESOURCE', 'FORBIDDEN_RESOURCE'],
    ['BUS::SOMETHING_NEW', undefined],
    ['BUS::', undefined],
    ['', undefined],
  ])('of %p is %p', (code, kind) => {
    expect(errorKind(code)).toBe(kind);
  });
});
