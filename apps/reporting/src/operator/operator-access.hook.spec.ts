import { requiredPermission } from './operator-access.hook.js';

// operator-bulk.spec.ts shows GET, POST and DELETE.
it.each([
  ['HEAD', '/operator/v1/:kind', 'MARKETRECORDS', 'R'],
  ['PUT', '/operator/v1/:kind', 'MARKETRECORDS', 'U'],
  ['DELETE', '/operator/v1/faults/:id', 'MARKETFAULTS', 'D'],
])('%s %s requires the permission %s %s', (method, route, entity, permission) => {
  expect(requiredPermission(method, route)).toEqual({ entity, permission });
});
