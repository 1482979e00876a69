// Preloaded into the program (`node --import`), whose only clock is Date.now: so that its screens can be compared.
const now = Number(process.env.TEST_NOW);
Date.now = () => now;
