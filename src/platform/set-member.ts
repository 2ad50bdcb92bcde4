/** Sets a member of an object that is built from JSON, where `__proto__` is a key like any other. */
export function setMember<Value>(object: { [key: string]: Value }, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
