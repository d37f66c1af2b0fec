import "./index.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App, makeQueries } from "./App";
import { startI18n } from "./i18n";
import { makeRouter } from "./router";
import { startTheme } from "./theme";

startTheme();
await startI18n();

const router = makeRouter();
const place = document.getElementById("root");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <App router={router} queries={makeQueries(router)} />
    </StrictMode>,
  );
}
