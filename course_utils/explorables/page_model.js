// The model of a page without a kernel: it holds the state as a kernel would, and tells the views of each change.
export function pageModel(state) {
  const listeners = {};
  return {
    get: (name) => state[name],
    set(name, value) {
      if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
      state[name] = value;
      for (const act of listeners[`change:${name}`] ?? []) act();
    },
    save_changes() {},
    on: (event, act) => (listeners[event] ??= []).push(act),
  };
}
