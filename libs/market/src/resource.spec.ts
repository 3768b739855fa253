import { defineResource } from './resource.js';

it('a resource builds each form once, at its first use', () => {
  const built: string[] = [];
  const Empty = defineResource('Empty', (form) => {
    built.push(form.kind);
    return form.object({});
  });
  expect(built).toEqual([]);
  Empty.readStrict({});
  Empty.readStrict({});
  expect(built).toEqual(['strict']);
  Empty.readTolerant({});
  expect(built).toEqual(['strict', 'tolerant']);
});
