import { defineResource } from './resource.js';

it('a resource builds each variant once, at its first use', () => {
  const built: string[] = [];
  const Empty = defineResource('Empty', (builder) => {
    built.push(builder.kind);
    return builder.object({});
  });
  expect(built).toEqual([]);
  Empty.readStrict({});
  Empty.readStrict({});
  expect(built).toEqual(['strict']);
  Empty.readTolerant({});
  expect(built).toEqual(['strict', 'tolerant']);
});
