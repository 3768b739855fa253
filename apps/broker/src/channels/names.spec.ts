import { isFqcn, isRoleName, isTopicName } from './names.js';

const tail = 'apps.bridge.iam.local';

describe('the syntax of names', () => {
  it.each([
    [`events.channels.messagebus.${tail}`, true],
    [`my.events-1_a.channels.messagebus.apps.org.unit.iam.ewc`, true],
    [`events.roles.messagebus.${tail}`, false],
    ['events.channels.messagebus', false],
    [`.channels.messagebus.${tail}`, false],
    [`events.channels.messagebus.apps..iam.local`, false],
    [`events.channels.message bus.${tail}`, false],
    [`events}.channels.messagebus.${tail}`, false],
    [`events.channels.messagebus.${tail}\n`, false],
    [`${'e'.repeat(255)}.channels.messagebus.${tail}`, false],
    ['', false],
  ])('isFqcn(%j) is %s', (text, valid) => {
    expect(isFqcn(text)).toBe(valid);
  });

  it.each([
    [`user.roles.messagebus.${tail}`, true],
    [`user.channels.messagebus.${tail}`, false],
    ['user', false],
  ])('isRoleName(%j) is %s', (text, valid) => {
    expect(isRoleName(text)).toBe(valid);
  });

  it.each([
    ['statement.published.v1', true],
    ['default', true],
    ['.hidden', false],
    ['a b', false],
    ['', false],
    ['t'.repeat(256), false],
  ])('isTopicName(%j) is %s', (text, valid) => {
    expect(isTopicName(text)).toBe(valid);
  });
});
