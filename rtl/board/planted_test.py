#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The proofs of the AXI ports find planted errors of AXI: each is a change of the source."""
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from rtl import prove, yosys  # noqa: E402

READ = ("roci_dma_read_mux", {})
WRITE = ("roci_dma_write_mux", {"DataWidth": "16"})
AXIL = ("roci_axil", {"AddrBits": "2"})
SPLIT = ("roci_dma_split", {"DataWidth": "64"})
DEPTH = 6


class Planted(unittest.TestCase):
    def change(self, proof, old, new):
        """Makes the change, and expects that an assertion fails soon after reset."""
        top, parameters = proof
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path in [yosys.RTL / "roci_pkg.sv", yosys.RTL / "common/assert.svh",
                         *yosys.sources(top, formal=True)]:
                copy = root / path.relative_to(yosys.RTL)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
                text = copy.read_text()
                if path.stem == top:
                    self.assertEqual(text.count(old), 1, f"{old!r} in {path}")
                    copy.write_text(text.replace(old, new))
            base = root / top
            read = yosys.read_script(top, parameters, formal=True, root=root)
            self.assertEqual(prove.models(read, top, base), 0)
            self.assertEqual(prove.not_proved(base, DEPTH), ["-t", str(DEPTH)])

    def test_request_withdrawn(self):
        self.change(READ, "else if (free) m_axi_arvalid_o <= p", "else m_axi_arvalid_o <= p")

    def test_request_changes_while_it_waits(self):
        self.change(READ, "m_axi_aruser_o <= index", "end if (!rst_ni || p_valid_i) begin "
                                                     "m_axi_aruser_o <= index")

    def test_size_of_half_a_beat(self):
        self.change(READ, "3'($clog2(DataWidth / 8))", "3'($clog2(DataWidth / 16))")

    def test_burst_is_fixed(self):
        self.change(WRITE, "2'b01;  // INCR", "2'b00;")

    def test_burst_crosses_a_page(self):
        self.change(SPLIT, "OffBits + 8 < 12 ? OffBits + 8 : 12", "13")

    def test_last_is_missing(self):
        self.change(WRITE, "m_axi_wlast_o <= w_last;", "m_axi_wlast_o <= w_last && !owner;")

    def test_length_is_of_another_burst(self):
        self.change(WRITE, "(index ? b_beats_i : s_beats_i) - 9'd1)", "s_beats_i - 9'd1)")

    def test_strobes_change_while_they_wait(self):
        self.change(WRITE, "m_axi_wstrb_o <= owner ? b_strb_i : s_strb_i;",
                    "end if (owned) begin m_axi_wstrb_o <= owner ? b_strb_i : s_strb_i;")

    def test_response_before_the_write(self):
        self.change(AXIL, "bvalid_o      = responses_q != '0;",
                    "bvalid_o      = responses_q != '0 || wvalid_i;")

    def test_response_withdrawn(self):
        self.change(AXIL, "else if (rready_i) rvalid_q", "else if (awvalid_i) rvalid_q")

    def test_read_data_change_while_they_wait(self):
        self.change(AXIL, "if (rd_done_i) data_q <= rd_data_i;", "data_q <= rd_data_i;")


if __name__ == "__main__":
    unittest.main()
