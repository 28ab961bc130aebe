// Starts the page when its elements are there.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app.js";

const app = new App(document.getElementById("app"));
window.cairn = app.face(); // for tests and for `cairn render`
