BEGIN TRANSACTION;
CREATE TABLE answers (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	question VARCHAR NOT NULL, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	response JSON, 
	rt_ms DOUBLE, 
	client JSON NOT NULL, 
	received DOUBLE NOT NULL, 
	CONSTRAINT uq_answers_question UNIQUE (question), 
	CONSTRAINT fk_answers_question FOREIGN KEY(question) REFERENCES questions (id), 
	CONSTRAINT fk_answers_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_answers_participant FOREIGN KEY(participant) REFERENCES participants (id)
);
INSERT INTO "answers" VALUES(1,'WQ9CNQ8PoaP2uhtej9iswQ',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946657509803772e+09);
INSERT INTO "answers" VALUES(2,'BzqTMhf25HOYZMTQEylKPQ',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946658677148825e+09);
INSERT INTO "answers" VALUES(3,'Y0st8yhFGG16H_fu_an_-g',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.7953494665924813748e+09);
INSERT INTO "answers" VALUES(4,'5bjwgtZGtrAiD8Van4OlmA',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946659531497955e+09);
INSERT INTO "answers" VALUES(5,'v0oltC7rpZzLwNSdYG3sHg',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946660347795484e+09);
INSERT INTO "answers" VALUES(6,'65YoqlcBFLbDSBUg_sUepQ',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946661203169827e+09);
INSERT INTO "answers" VALUES(7,'g9-u-0NjK3R_QbaJakdL2w',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.7953494666155786515e+09);
INSERT INTO "answers" VALUES(8,'Xr8IQgnitz3Bzt8lJMCNNQ',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946663759374619e+09);
INSERT INTO "answers" VALUES(9,'XWkjw6y53A9Zm4TIiqJsmg',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.7953494666431105137e+09);
INSERT INTO "answers" VALUES(10,'jhprC_-offQsNDqvw8-xiw',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946664822077748e+09);
INSERT INTO "answers" VALUES(11,'-NbrCzo8PKF19pAoEuFHdg',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946665263772007e+09);
INSERT INTO "answers" VALUES(12,'uHIGxiK0_H-zF-OhswTQyQ',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946665553283694e+09);
INSERT INTO "answers" VALUES(13,'tAOpUJ--dJWrSTozNBGm0g',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946676096868515e+09);
INSERT INTO "answers" VALUES(14,'XDy8WV8uSCvrzEn-8GrHQg',1,2,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946677572464939e+09);
INSERT INTO "answers" VALUES(15,'gKwZThW-n691hyprPH9A4Q',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946678444552424e+09);
INSERT INTO "answers" VALUES(16,'FrjEKVepxOCuA76ZF7cQAw',1,2,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946678765702245e+09);
INSERT INTO "answers" VALUES(17,'GbAsfFw17owGzfso_gN4LA',1,2,NULL,400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946679574561115e+09);
INSERT INTO "answers" VALUES(18,'kYMzwzMT6z2mL1O3agbkHg',1,2,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946693539118763e+09);
INSERT INTO "answers" VALUES(19,'6ntvbALcadrKolmrTn-Tug',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946694068408019e+09);
INSERT INTO "answers" VALUES(20,'Hq1Ek8Rw4CZmcW0TKIFCSw',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946702407097814e+09);
INSERT INTO "answers" VALUES(21,'-h6o5Kq2XCUOG6co7uKaAA',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946703153252601e+09);
INSERT INTO "answers" VALUES(22,'FkFmzTQom2NxJ9ampmNBHg',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946703524613377e+09);
INSERT INTO "answers" VALUES(23,'s4xo4I2ExdcoEbYkOGwERQ',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946704138398173e+09);
INSERT INTO "answers" VALUES(24,'E_oozc6YxF52FnjUSpGNYg',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946704716277124e+09);
INSERT INTO "answers" VALUES(25,'-DS7q2YefmR59Z7VHDuVxw',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946705548977856e+09);
INSERT INTO "answers" VALUES(26,'y1ijWNCvZGiilRatzcSncQ',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946706343936919e+09);
INSERT INTO "answers" VALUES(27,'qf36TGGw4NX3B_EcjpeJtQ',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946707128167152e+09);
INSERT INTO "answers" VALUES(28,'fjiCA49Nfhvak7JmEfskgg',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946707417559621e+09);
INSERT INTO "answers" VALUES(29,'mUOwtLxBuXGq6HXD3OJGVQ',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946707848143574e+09);
INSERT INTO "answers" VALUES(30,'lF6aPLgSZFw0iBAI3IDCow',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.7953494670830090046e+09);
INSERT INTO "answers" VALUES(31,'bbRxTvWZzTg8OLvKQwlg_g',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534946708704400064e+09);
CREATE TABLE events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	who VARCHAR NOT NULL, 
	what VARCHAR NOT NULL, 
	details JSON NOT NULL, 
	CONSTRAINT fk_events_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "events" VALUES(1,1,1.79534946643870520592e+09,'server','study added','{}');
INSERT INTO "events" VALUES(2,1,1.79534946671189618106e+09,'quality rule','quality rule','{"participant":"P0001","rule":"side above 0.95","action":"flag","value":1.0,"reason":"side 1.00 in 10 answers (rule: side above 0.95)"}');
INSERT INTO "events" VALUES(3,1,1.79534946715605974194e+09,'quality rule','quality rule','{"participant":"P0003","rule":"side above 0.95","action":"flag","value":1.0,"reason":"side 1.00 in 10 answers (rule: side above 0.95)"}');
INSERT INTO "events" VALUES(4,1,1.79534946741050863271e+09,'researcher','participant excluded','{"participant":"P0003","reason":"he told me that he guessed"}');
INSERT INTO "events" VALUES(5,1,1.79534946745969867711e+09,'quality rule','quality rule','{"participant":"P0006","rule":"side above 0.95","action":"flag","value":1.0,"reason":"side 1.00 in 10 answers (rule: side above 0.95)"}');
INSERT INTO "events" VALUES(6,1,1.79534946752076601979e+09,'worker','fit','{"number":1,"answers":12,"held_out_answers":0,"held_out_error":null,"held_out_log_loss":null,"trust":1.0,"left_out":[],"seconds":0.043}');
INSERT INTO "events" VALUES(7,1,1.79534946752586579326e+09,'worker','map','{"told":12,"items":6,"trust":1.0,"noise":[1.0,0.0],"held_out_loss":[],"positions":[[0.280228,0.505271],[-0.860375,0.0292638],[0.0545504,-0.219194],[1.04862,-0.345274],[0.312149,0.246316],[-0.835174,-0.216384]],"left_out":[],"likelihood":{"P0001":[0.845582,8],"P0002":[0.726157,3]}}');
INSERT INTO "events" VALUES(8,1,1.79534946773475170139e+09,'researcher','participant erased','{"participant":"P0006"}');
INSERT INTO "events" VALUES(9,1,1.7953494679759347439e+09,'worker','fit','{"number":2,"answers":28,"held_out_answers":2,"held_out_error":0.5,"held_out_log_loss":0.6807976340428137,"trust":1.0,"left_out":[],"seconds":0.068}');
INSERT INTO "events" VALUES(10,1,1.79534946797780966759e+09,'worker','map','{"told":28,"items":6,"trust":1.0,"noise":[1.0,0.0],"held_out_loss":[0.940453,0.421142],"positions":[[0.812527,-0.39775],[-0.364882,-0.22567],[-0.900867,0.287658],[1.14021,0.485844],[0.361086,-0.149935],[-1.04808,-0.00014751]],"left_out":[],"likelihood":{"P0001":[0.792736,8],"P0002":[0.459235,3],"P0003":[0.624744,8],"P0006":[0.741132,8]}}');
CREATE TABLE exclusions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	excluded BOOLEAN NOT NULL, 
	reason VARCHAR NOT NULL, 
	"by" VARCHAR NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT fk_exclusions_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_exclusions_participant FOREIGN KEY(participant) REFERENCES participants (id)
);
INSERT INTO "exclusions" VALUES(1,1,3,1,'he told me that he guessed','researcher',1.79534946741050863271e+09);
CREATE TABLE pages (
	id INTEGER NOT NULL, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	page VARCHAR NOT NULL, 
	response JSON NOT NULL, 
	received DOUBLE NOT NULL, 
	CONSTRAINT pk_pages PRIMARY KEY (id), 
	CONSTRAINT uq_pages_participant_page UNIQUE (participant, page), 
	CONSTRAINT fk_pages_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_pages_participant FOREIGN KEY(participant) REFERENCES participants (id)
);
INSERT INTO "pages" VALUES(1,1,1,'consent','{"agree":true,"values":{},"seconds":0.0}',1.79534946652238202096e+09);
INSERT INTO "pages" VALUES(2,1,1,'instructions','{"agree":null,"values":{},"seconds":0.0}',1.79534946654517650601e+09);
INSERT INTO "pages" VALUES(3,1,1,'questionnaire-1','{"agree":null,"values":{"age":41},"seconds":0.0}',1.79534946666339969637e+09);
INSERT INTO "pages" VALUES(4,1,2,'consent','{"agree":true,"values":{},"seconds":0.0}',1.7953494667150771618e+09);
INSERT INTO "pages" VALUES(5,1,2,'instructions','{"agree":null,"values":{},"seconds":0.0}',1.79534946674707365042e+09);
INSERT INTO "pages" VALUES(6,1,3,'consent','{"agree":true,"values":{},"seconds":0.0}',1.79534946698046517371e+09);
INSERT INTO "pages" VALUES(7,1,3,'instructions','{"agree":null,"values":{},"seconds":0.0}',1.79534946701018118852e+09);
INSERT INTO "pages" VALUES(8,1,4,'consent','{"agree":false,"values":{},"seconds":0.0}',1.79534946713451051716e+09);
CREATE TABLE participants (
	id INTEGER NOT NULL, 
	study INTEGER NOT NULL, 
	code VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	external_id VARCHAR, 
	token_hash VARCHAR, 
	state VARCHAR NOT NULL, 
	browser JSON NOT NULL, 
	created DOUBLE NOT NULL, 
	finished DOUBLE, 
	completion_code VARCHAR, 
	CONSTRAINT pk_participants PRIMARY KEY (id), 
	CONSTRAINT uq_participants_study_code UNIQUE (study, code), 
	CONSTRAINT uq_participants_study_source_external_id UNIQUE (study, source, external_id), 
	CONSTRAINT fk_participants_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT uq_participants_token_hash UNIQUE (token_hash)
);
INSERT INTO "participants" VALUES(1,1,'P0001','prolific','000000000000000000000001','67bc24d996e2774c07eb7a9695d30e2af0c8a66965aa0e622b911898b68334cd','finished','{"agent":"Firefox/140.0","languages":["de"],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"STUDY_ID":"s1","SESSION_ID":"session1"}}',1.79534946650245165822e+09,1.79534946667022657397e+09,'C0FFEE42');
INSERT INTO "participants" VALUES(2,1,'P0002','prolific','000000000000000000000002','b421cfb940d94d044ea46d119810a37fb2ccf78ce544328896cb21f39112fc12','consented','{"agent":"Firefox/140.0","languages":["de"],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"STUDY_ID":"s1","SESSION_ID":"session2"}}',1.7953494667001409531e+09,NULL,NULL);
INSERT INTO "participants" VALUES(3,1,'P0003','prolific','000000000000000000000003','c6f1c8f70ca0864ae3be43772a59b0060e0c4b59b48e0b8aa9701975f863f627','consented','{"agent":"Firefox/140.0","languages":["de"],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"STUDY_ID":"s1","SESSION_ID":"session3"}}',1.79534946695881581302e+09,NULL,NULL);
INSERT INTO "participants" VALUES(4,1,'P0004','prolific','000000000000000000000004','af907f8f51cc96bad61a28c8ae760d7108598d97063b9ee8b52c94efbbdb25f9','stopped','{"agent":"Firefox/140.0","languages":["de"],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"STUDY_ID":"s1","SESSION_ID":"session4"}}',1.79534946709248662e+09,NULL,NULL);
INSERT INTO "participants" VALUES(5,1,'P0005','prolific','000000000000000000000005','5854657675db537b0dfb0224878bae02c1da3c5a0fd73d8881749e74991062a8','entered','{"agent":"Firefox/140.0","languages":["de"],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"STUDY_ID":"s1","SESSION_ID":"session5"}}',1.79534946716672301298e+09,NULL,NULL);
INSERT INTO "participants" VALUES(6,1,'P0006','prolific',NULL,NULL,'stopped','{}',1.79534946719923806188e+09,1.79534946740761399263e+09,NULL);
CREATE TABLE pool (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	spec JSON NOT NULL, 
	round INTEGER NOT NULL, 
	made DOUBLE NOT NULL, 
	taken DOUBLE, 
	CONSTRAINT fk_pool_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "pool" VALUES(1,1,'{"kind":"triplet","head":"sharp","options":["loud","dark"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-3"}',0,1.79534946663167595867e+09,1.79534946663759374619e+09);
INSERT INTO "pool" VALUES(2,1,'{"kind":"triplet","head":"dark","options":["bright","calm"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-4"}',0,1.79534946663167595867e+09,1.79534946675270247464e+09);
INSERT INTO "pool" VALUES(3,1,'{"kind":"triplet","head":"bright","options":["dark","calm"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-5"}',0,1.79534946663167595867e+09,1.79534946675270247464e+09);
INSERT INTO "pool" VALUES(4,1,'{"kind":"triplet","head":"soft","options":["calm","sharp"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-6"}',0,1.79534946663167595867e+09,1.79534946676096868515e+09);
INSERT INTO "pool" VALUES(5,1,'{"kind":"triplet","head":"calm","options":["soft","bright"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-7"}',0,1.79534946663167595867e+09,1.79534946678444552424e+09);
INSERT INTO "pool" VALUES(6,1,'{"kind":"triplet","head":"loud","options":["sharp","dark"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-8"}',0,1.79534946663167595867e+09,1.79534946679574561115e+09);
INSERT INTO "pool" VALUES(7,1,'{"kind":"triplet","head":"dark","options":["soft","bright"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-9"}',0,1.79534946663167595867e+09,1.79534946693539118763e+09);
INSERT INTO "pool" VALUES(8,1,'{"kind":"triplet","head":"loud","options":["soft","bright"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-10"}',0,1.79534946663167595867e+09,1.79534946694068408019e+09);
INSERT INTO "pool" VALUES(9,1,'{"kind":"triplet","head":"calm","options":["dark","bright"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-11"}',0,1.79534946663167595867e+09,1.79534946701843333241e+09);
INSERT INTO "pool" VALUES(10,1,'{"kind":"triplet","head":"dark","options":["bright","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-12"}',0,1.79534946663167595867e+09,1.79534946701843333241e+09);
INSERT INTO "pool" VALUES(11,1,'{"kind":"triplet","head":"sharp","options":["bright","calm"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-13"}',0,1.79534946663167595867e+09,1.79534946702407097814e+09);
INSERT INTO "pool" VALUES(12,1,'{"kind":"triplet","head":"bright","options":["soft","dark"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-14"}',0,1.79534946663167595867e+09,1.79534946703153252601e+09);
INSERT INTO "pool" VALUES(13,1,'{"kind":"triplet","head":"calm","options":["sharp","bright"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-15"}',0,1.79534946663167595867e+09,1.79534946703524613377e+09);
INSERT INTO "pool" VALUES(14,1,'{"kind":"triplet","head":"calm","options":["soft","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-16"}',0,1.79534946663167595867e+09,1.79534946704138398173e+09);
INSERT INTO "pool" VALUES(15,1,'{"kind":"triplet","head":"dark","options":["loud","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-17"}',0,1.79534946663167595867e+09,1.79534946704716277124e+09);
INSERT INTO "pool" VALUES(16,1,'{"kind":"triplet","head":"loud","options":["dark","calm"],"gold":null,"strategy":"held out","held_out":true,"session":"35e24c1c-18"}',0,1.79534946663167595867e+09,1.79534946706343936919e+09);
INSERT INTO "pool" VALUES(17,1,'{"kind":"triplet","head":"soft","options":["loud","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-19"}',0,1.79534946663167595867e+09,1.79534946726398491863e+09);
INSERT INTO "pool" VALUES(18,1,'{"kind":"triplet","head":"soft","options":["sharp","dark"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-20"}',0,1.79534946663167595867e+09,1.79534946726398491863e+09);
INSERT INTO "pool" VALUES(19,1,'{"kind":"triplet","head":"dark","options":["soft","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-21"}',0,1.79534946663167595867e+09,1.795349467272847414e+09);
INSERT INTO "pool" VALUES(20,1,'{"kind":"triplet","head":"calm","options":["soft","loud"],"gold":null,"strategy":"held out","held_out":true,"session":"35e24c1c-22"}',0,1.79534946663167595867e+09,1.79534946730607056619e+09);
INSERT INTO "pool" VALUES(21,1,'{"kind":"triplet","head":"calm","options":["loud","bright"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-23"}',0,1.79534946663167595867e+09,1.79534946731989645957e+09);
INSERT INTO "pool" VALUES(22,1,'{"kind":"triplet","head":"bright","options":["loud","calm"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-24"}',0,1.79534946663167595867e+09,1.79534946732546806338e+09);
INSERT INTO "pool" VALUES(23,1,'{"kind":"triplet","head":"dark","options":["calm","loud"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-25"}',0,1.79534946663167595867e+09,1.79534946732802128794e+09);
INSERT INTO "pool" VALUES(24,1,'{"kind":"triplet","head":"soft","options":["dark","bright"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-26"}',0,1.79534946663167595867e+09,1.79534946733756208417e+09);
INSERT INTO "pool" VALUES(305,1,'{"kind":"triplet","head":"calm","options":["loud","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-143"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(306,1,'{"kind":"triplet","head":"soft","options":["loud","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-144"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(307,1,'{"kind":"triplet","head":"loud","options":["bright","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-145"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(308,1,'{"kind":"triplet","head":"soft","options":["dark","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-146"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(309,1,'{"kind":"triplet","head":"soft","options":["sharp","calm"],"gold":null,"strategy":"held out","held_out":true,"session":"35e24c1c-147"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(310,1,'{"kind":"triplet","head":"soft","options":["calm","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-148"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(311,1,'{"kind":"triplet","head":"loud","options":["calm","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-149"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(312,1,'{"kind":"triplet","head":"calm","options":["soft","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-150"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(313,1,'{"kind":"triplet","head":"soft","options":["bright","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-151"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(314,1,'{"kind":"triplet","head":"loud","options":["soft","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-152"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(315,1,'{"kind":"triplet","head":"soft","options":["dark","sharp"],"gold":null,"strategy":"held out","held_out":true,"session":"35e24c1c-153"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(316,1,'{"kind":"triplet","head":"calm","options":["dark","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-154"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(317,1,'{"kind":"triplet","head":"calm","options":["dark","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-155"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(318,1,'{"kind":"triplet","head":"bright","options":["soft","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-156"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(319,1,'{"kind":"triplet","head":"loud","options":["bright","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-157"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(320,1,'{"kind":"triplet","head":"loud","options":["calm","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-158"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(321,1,'{"kind":"triplet","head":"dark","options":["calm","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-159"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(322,1,'{"kind":"triplet","head":"loud","options":["bright","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-160"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(323,1,'{"kind":"triplet","head":"soft","options":["calm","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-161"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(324,1,'{"kind":"triplet","head":"bright","options":["sharp","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-162"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(325,1,'{"kind":"triplet","head":"loud","options":["calm","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-163"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(326,1,'{"kind":"triplet","head":"dark","options":["loud","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-164"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(327,1,'{"kind":"triplet","head":"sharp","options":["bright","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-165"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(328,1,'{"kind":"triplet","head":"soft","options":["bright","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-166"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(329,1,'{"kind":"triplet","head":"dark","options":["calm","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-167"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(330,1,'{"kind":"triplet","head":"bright","options":["calm","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-168"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(331,1,'{"kind":"triplet","head":"bright","options":["calm","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-169"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(332,1,'{"kind":"triplet","head":"bright","options":["loud","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-170"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(333,1,'{"kind":"triplet","head":"sharp","options":["bright","calm"],"gold":null,"strategy":"held out","held_out":true,"session":"35e24c1c-171"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(334,1,'{"kind":"triplet","head":"bright","options":["dark","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-172"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(335,1,'{"kind":"triplet","head":"sharp","options":["soft","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-173"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(336,1,'{"kind":"triplet","head":"dark","options":["sharp","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-174"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(337,1,'{"kind":"triplet","head":"sharp","options":["calm","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-175"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(338,1,'{"kind":"triplet","head":"sharp","options":["bright","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-176"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(339,1,'{"kind":"triplet","head":"bright","options":["calm","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-177"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(340,1,'{"kind":"triplet","head":"calm","options":["sharp","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-178"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(341,1,'{"kind":"triplet","head":"bright","options":["calm","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-179"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(342,1,'{"kind":"triplet","head":"soft","options":["loud","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-180"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(343,1,'{"kind":"triplet","head":"soft","options":["loud","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-181"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(344,1,'{"kind":"triplet","head":"bright","options":["dark","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-182"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(345,1,'{"kind":"triplet","head":"calm","options":["soft","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-183"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(346,1,'{"kind":"triplet","head":"calm","options":["soft","sharp"],"gold":null,"strategy":"held out","held_out":true,"session":"35e24c1c-184"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(347,1,'{"kind":"triplet","head":"bright","options":["loud","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-185"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(348,1,'{"kind":"triplet","head":"dark","options":["soft","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-186"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(349,1,'{"kind":"triplet","head":"calm","options":["bright","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-187"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(350,1,'{"kind":"triplet","head":"loud","options":["soft","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-188"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(351,1,'{"kind":"triplet","head":"dark","options":["sharp","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-189"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(352,1,'{"kind":"triplet","head":"calm","options":["soft","bright"],"gold":null,"strategy":"held out","held_out":true,"session":"35e24c1c-190"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(353,1,'{"kind":"triplet","head":"sharp","options":["loud","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-191"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(354,1,'{"kind":"triplet","head":"calm","options":["loud","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-192"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(355,1,'{"kind":"triplet","head":"sharp","options":["bright","dark"],"gold":null,"strategy":"held out","held_out":true,"session":"35e24c1c-193"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(356,1,'{"kind":"triplet","head":"dark","options":["sharp","loud"],"gold":null,"strategy":"held out","held_out":true,"session":"35e24c1c-194"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(357,1,'{"kind":"triplet","head":"sharp","options":["loud","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-195"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(358,1,'{"kind":"triplet","head":"sharp","options":["soft","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-196"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(359,1,'{"kind":"triplet","head":"dark","options":["loud","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-197"}',2,1.79534946896885108953e+09,NULL);
INSERT INTO "pool" VALUES(360,1,'{"kind":"triplet","head":"dark","options":["sharp","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"35e24c1c-198"}',2,1.79534946896885108953e+09,NULL);
CREATE TABLE pulses (
	study INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	told JSON NOT NULL, 
	CONSTRAINT pk_pulses PRIMARY KEY (study), 
	CONSTRAINT fk_pulses_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "pulses" VALUES(1,1.79534946897394609454e+09,'{"answers":25,"purposes":{"practice":6,"main":19,"gold":5,"skipped":1},"people":3,"whole":{"width":60.0,"bins":[[29922491,{"answers":25,"people":3}]]},"recent":{"width":60.0,"bins":[[29922491,{"answers":25,"people":3}]]},"not_drawn":{}}');
CREATE TABLE questions (
	id VARCHAR NOT NULL, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	spec JSON NOT NULL, 
	pool_id INTEGER, 
	served DOUBLE NOT NULL, 
	state VARCHAR NOT NULL, 
	CONSTRAINT pk_questions PRIMARY KEY (id), 
	CONSTRAINT uq_questions_participant_place UNIQUE (participant, place), 
	CONSTRAINT fk_questions_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_questions_participant FOREIGN KEY(participant) REFERENCES participants (id), 
	CONSTRAINT fk_questions_pool_id FOREIGN KEY(pool_id) REFERENCES pool (id) ON DELETE SET NULL
);
INSERT INTO "questions" VALUES('WQ9CNQ8PoaP2uhtej9iswQ',1,1,0,'triplet','practice','{"kind":"triplet","head":"soft","options":["sharp","loud"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946655324912073e+09,'answered');
INSERT INTO "questions" VALUES('BzqTMhf25HOYZMTQEylKPQ',1,1,1,'triplet','practice','{"kind":"triplet","head":"sharp","options":["soft","bright"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946655324912073e+09,'answered');
INSERT INTO "questions" VALUES('Y0st8yhFGG16H_fu_an_-g',1,1,2,'triplet','main','{"kind":"triplet","head":"loud","options":["sharp","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946655324912073e+09,'answered');
INSERT INTO "questions" VALUES('5bjwgtZGtrAiD8Van4OlmA',1,1,3,'triplet','main','{"kind":"triplet","head":"sharp","options":["bright","dark"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946655324912073e+09,'answered');
INSERT INTO "questions" VALUES('v0oltC7rpZzLwNSdYG3sHg',1,1,4,'triplet','gold','{"kind":"triplet","head":"bright","options":["bright","sharp"],"gold":0,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946657509803772e+09,'answered');
INSERT INTO "questions" VALUES('65YoqlcBFLbDSBUg_sUepQ',1,1,5,'triplet','main','{"kind":"triplet","head":"bright","options":["sharp","loud"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946658677148825e+09,'answered');
INSERT INTO "questions" VALUES('g9-u-0NjK3R_QbaJakdL2w',1,1,6,'triplet','gold','{"kind":"triplet","head":"bright","options":["calm","bright"],"gold":1,"strategy":"gold","held_out":false,"session":null}',NULL,1.7953494665924813748e+09,'answered');
INSERT INTO "questions" VALUES('Xr8IQgnitz3Bzt8lJMCNNQ',1,1,7,'triplet','main','{"kind":"triplet","head":"dark","options":["bright","loud"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946659531497955e+09,'answered');
INSERT INTO "questions" VALUES('XWkjw6y53A9Zm4TIiqJsmg',1,1,8,'triplet','main','{"kind":"triplet","head":"calm","options":["soft","sharp"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946660347795484e+09,'answered');
INSERT INTO "questions" VALUES('jhprC_-offQsNDqvw8-xiw',1,1,9,'triplet','main','{"kind":"triplet","head":"calm","options":["loud","sharp"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946661203169827e+09,'answered');
INSERT INTO "questions" VALUES('-NbrCzo8PKF19pAoEuFHdg',1,1,10,'triplet','main','{"kind":"triplet","head":"dark","options":["soft","sharp"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.7953494666155786515e+09,'answered');
INSERT INTO "questions" VALUES('uHIGxiK0_H-zF-OhswTQyQ',1,1,11,'triplet','main','{"kind":"triplet","head":"sharp","options":["loud","dark"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-3"}',1,1.79534946663759374619e+09,'answered');
INSERT INTO "questions" VALUES('tAOpUJ--dJWrSTozNBGm0g',1,2,0,'triplet','practice','{"kind":"triplet","head":"dark","options":["loud","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946675270247464e+09,'answered');
INSERT INTO "questions" VALUES('XDy8WV8uSCvrzEn-8GrHQg',1,2,1,'triplet','practice','{"kind":"triplet","head":"dark","options":["loud","soft"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946675270247464e+09,'answered');
INSERT INTO "questions" VALUES('gKwZThW-n691hyprPH9A4Q',1,2,2,'triplet','main','{"kind":"triplet","head":"dark","options":["bright","calm"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-4"}',2,1.79534946675270247464e+09,'answered');
INSERT INTO "questions" VALUES('FrjEKVepxOCuA76ZF7cQAw',1,2,3,'triplet','main','{"kind":"triplet","head":"bright","options":["dark","calm"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-5"}',3,1.79534946675270247464e+09,'answered');
INSERT INTO "questions" VALUES('GbAsfFw17owGzfso_gN4LA',1,2,4,'triplet','main','{"kind":"triplet","head":"soft","options":["calm","sharp"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-6"}',4,1.79534946676096868515e+09,'skipped');
INSERT INTO "questions" VALUES('kYMzwzMT6z2mL1O3agbkHg',1,2,5,'triplet','gold','{"kind":"triplet","head":"sharp","options":["sharp","bright"],"gold":0,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946677572464939e+09,'answered');
INSERT INTO "questions" VALUES('6ntvbALcadrKolmrTn-Tug',1,2,6,'triplet','main','{"kind":"triplet","head":"calm","options":["soft","bright"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-7"}',5,1.79534946678444552424e+09,'answered');
INSERT INTO "questions" VALUES('vk75KY6z_nL46PdcnhkJ3g',1,2,7,'triplet','gold','{"kind":"triplet","head":"dark","options":["dark","sharp"],"gold":0,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946678765702245e+09,'out');
INSERT INTO "questions" VALUES('9CrHDOF9jFQO0Q1XG4c84A',1,2,8,'triplet','main','{"kind":"triplet","head":"loud","options":["sharp","dark"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-8"}',6,1.79534946679574561115e+09,'out');
INSERT INTO "questions" VALUES('9yjOGPBR3QYvnvxMBypT3Q',1,2,9,'triplet','main','{"kind":"triplet","head":"dark","options":["soft","bright"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-9"}',7,1.79534946693539118763e+09,'out');
INSERT INTO "questions" VALUES('jN1mxlfZ_dyi-qAPUwUaNQ',1,2,10,'triplet','main','{"kind":"triplet","head":"loud","options":["soft","bright"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-10"}',8,1.79534946694068408019e+09,'out');
INSERT INTO "questions" VALUES('Hq1Ek8Rw4CZmcW0TKIFCSw',1,3,0,'triplet','practice','{"kind":"triplet","head":"soft","options":["calm","loud"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946701843333241e+09,'answered');
INSERT INTO "questions" VALUES('-h6o5Kq2XCUOG6co7uKaAA',1,3,1,'triplet','practice','{"kind":"triplet","head":"bright","options":["dark","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946701843333241e+09,'answered');
INSERT INTO "questions" VALUES('FkFmzTQom2NxJ9ampmNBHg',1,3,2,'triplet','main','{"kind":"triplet","head":"calm","options":["dark","bright"],"gold":null,"strategy":"start","held_out":false,"session":"35e24c1c-11"}',9,1.79534946701843333241e+09,'answered');
INSERT INTO "questions" VALUES('s4xo4I2ExdcoEbYkOGwERQ',1,3,3,'triplet','main','{"kind":"triplet","head":"dark","options":["bright","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-12"}',10,1.79534946701843333241e+09,'answered');
INSERT INTO "questions" VALUES('E_oozc6YxF52FnjUSpGNYg',1,3,4,'triplet','main','{"kind":"triplet","head":"sharp","options":["bright","calm"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-13"}',11,1.79534946702407097814e+09,'answered');
INSERT INTO "questions" VALUES('-DS7q2YefmR59Z7VHDuVxw',1,3,5,'triplet','main','{"kind":"triplet","head":"bright","options":["soft","dark"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-14"}',12,1.79534946703153252601e+09,'answered');
INSERT INTO "questions" VALUES('y1ijWNCvZGiilRatzcSncQ',1,3,6,'triplet','main','{"kind":"triplet","head":"calm","options":["sharp","bright"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-15"}',13,1.79534946703524613377e+09,'answered');
INSERT INTO "questions" VALUES('qf36TGGw4NX3B_EcjpeJtQ',1,3,7,'triplet','main','{"kind":"triplet","head":"calm","options":["soft","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-16"}',14,1.79534946704138398173e+09,'answered');
INSERT INTO "questions" VALUES('fjiCA49Nfhvak7JmEfskgg',1,3,8,'triplet','main','{"kind":"triplet","head":"dark","options":["loud","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"35e24c1c-17"}',15,1.79534946704716277124e+09,'answered');
INSERT INTO "questions" VALUES('mUOwtLxBuXGq6HXD3OJGVQ',1,3,9,'triplet','gold','{"kind":"triplet","head":"calm","options":["soft","calm"],"gold":1,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946705548977856e+09,'answered');
INSERT INTO "questions" VALUES('lF6aPLgSZFw0iBAI3IDCow',1,3,10,'triplet','main','{"kind":"triplet","head":"loud","options":["dark","calm"],"gold":null,"strategy":"held out","held_out":true,"session":"35e24c1c-18"}',16,1.79534946706343936919e+09,'answered');
INSERT INTO "questions" VALUES('bbRxTvWZzTg8OLvKQwlg_g',1,3,11,'triplet','gold','{"kind":"triplet","head":"sharp","options":["dark","sharp"],"gold":1,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946707128167152e+09,'answered');
CREATE TABLE resemblance_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT resemblance_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "resemblance_version" VALUES('0002');
CREATE TABLE spaces (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	made DOUBLE NOT NULL, 
	answers INTEGER NOT NULL, 
	model BLOB NOT NULL, 
	positions JSON NOT NULL, 
	uncertainty JSON, 
	scores JSON NOT NULL, 
	CONSTRAINT fk_spaces_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "spaces" VALUES(1,1,1.79534946769718885425e+09,12,X'504B03041400000008006361765D8911927D8E0100008F0300000A0000006D6F64656C2E6A736F6E6D53CB4EC33010BCF72B2C9F5195A62A08EE7C01BD21146D936D63E147646F8082F2EF786D1719CA218D6676675F997EAD843C3A6F80E483901E039A8306DBA3306E402D6F62FC0D7D50CEC68496610E3C88AF95101203A928769EE5FBA7FD232B849CC053283942DAAE776672166D22B98AC86D59D53BE707658130C81C99D082A6730C36EBED4D29A1ACE2193719172461265754063E3A45C8936C9AA6C924399DCA344D117AB083335DA0D88F23997D079F38CF458FA00366FE00D48F5D509F9C6B67AD330D7A1A81FBAC8BBE1F9DEAB1BB6C7C2178C2279A87B8F83E4FF9E734BF6B2566E1DFA56C4968425535E14A6BC16085E3BAF3A4B9EB7321E220A04D69CD50BB79A8E0C1ABD3481531807FAD6070C73A1A46F0932CF025BF97129647049A7D9AE7E752DC110EA8FF92D133A7AB4C52A4AFC852B5BBACCAB1AB3B45D3E2103D74AA6E05DEC33959A49155EA6C4DFC1AD1CE38FC9BBCA993B50BE9FCBBF57DBB6DB7BBB6D9DEB6EDA6BDFB3165F45B4A28367036FE594EB934F9B9B8287DF27FBBB5B9DB2A3DCB6AF906504B03042D000000080000002100EB9A913AFFFFFFFFFFFFFFFF0600140061302E6E707901001000E000000000000000AC000000000000009BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9366A1AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A663A0A469A3A0AB50A6403AE5BFBBB6D1DDE5FB41737B06DD5D37E606F75608AA641C7EBFD7B8A7AD6057F9F6BCFA1BD359FE3DD6AFB90AE0707BBF9CEEC57793C2951FDF8077B8D497D72DF25AEED175B9F3DD9EED7657B63F629A63EEDE7ED4D05383AF7ED7CB5DF7579CCC1B24DA7F70300504B03042D000000080000002100C09567C8FFFFFFFFFFFFFFFF0600140061312E6E707901001000800000000000000044000000000000009BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9369A1AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A063A9A3A0AB50A14002E00504B03042D000000080000002100FB8AD71CFFFFFFFFFFFFFFFF0600140061322E6E707901001000980000000000000047000000000000009BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9369A2AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A663A9A3A0AB50A14002E061C0000504B010214031400000008006361765D8911927D8E0100008F0300000A00000000000000000000008001000000006D6F64656C2E6A736F6E504B01022D032D000000080000002100EB9A913AAC000000E00000000600000000000000000000008001B601000061302E6E7079504B01022D032D000000080000002100C09567C8440000008000000006000000000000000000000080019A02000061312E6E7079504B01022D032D000000080000002100FB8AD71C470000009800000006000000000000000000000080011603000061322E6E7079504B05060000000004000400D4000000950300000000','[[0.280228,0.505271],[-0.860375,0.0292638],[0.0545504,-0.219194],[1.04862,-0.345274],[0.312149,0.246316],[-0.835174,-0.216384]]','[0.560395,0.544305,0.546365,0.516536,0.590806,0.529314]','{"error":null,"held_out":0,"fitted":11,"shown":[6,5,6,6,3,7],"trust":1.0,"seconds":0.043095,"strategies":{},"ceiling":null,"advice":[{"more":6,"gain":0.014462,"low":-0.0341695,"high":0.0669527,"trials":8,"hours":0.11,"cost":0.0,"currency":"USD"},{"more":25,"gain":0.0316504,"low":-0.0250817,"high":0.097397,"trials":32,"hours":0.44,"cost":0.0,"currency":"USD"}]}');
INSERT INTO "spaces" VALUES(2,1,1.79534946808658862115e+09,28,X'504B03041400000008006461765D4502BE0092010000A20300000A0000006D6F64656C2E6A736F6E6D53496EC3300CBCE71582CE4520C74850E4DE1734B7A230189B89856A3124B92BFCF78A929AAA4D0E86C1213943D2E3AF15E327EB3404BE67DCA1477D54607A64DA0EA8F85DCCBFA2F3D29A58B0A13027F6EC6BC518471F646CB68EDA0F8F8707EA607C02177CA961DC74BDD593356812482C2CCB52576FAD1BA481809EE7CC840654F88849B16EEF0A853492666C725CA2C4CF38380754CE417042965CA4E1BD930169B6460891C160552216A250393083D59D0F71825F8137700973247302E531E34708FDD879F949B566562AC3A0A611A87B5D64FAD1CA1EBBDF193340433E867988A738E46DFF1DEB2F5742966AA5B88EF6156B8AAB5E031AAB38AE3B4F8A549F0A100701A58B3485CACE43151E9D3C8FA10206702F55E8EDA9CEFA11DCC44BF89CDF4B49F31342985D9AE77229528423AAFF6074D1F9AA32C8A0AEC0C2DAFDAC4AB9AB3B451BE3105D75EE6EB9A4A95D321B1DBF4634380E378B3775B1B23E9DBF69D71BD188ED6EDBB6BBDD76DBEE2E3E8D86A38AFBE2036BE2FF73CEDCC1CDC546E99BDF946BB3DC2A3DCB6AF906504B03042D000000080000002100EB9A913AFFFFFFFFFFFFFFFF0600140061302E6E707901001000E000000000000000AC000000000000009BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9366A1AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A663A0A469A3A0AB50A6403AE5BFBBB6D1DDE5FB41737B06DD5D37E606F75608AA641C7EBFD7B8A7AD6057F9F6BCFA1BD359FE3DD6AFB90AE0707BBF9CEEC57793C2951FDF8077B8D497D72DF25AEED175B9F3DD9EED7657B63F629A63EEDE7ED4D05383AF7ED7CB5DF7579CCC1B24DA7F70300504B03042D00000008000000210048AA1948FFFFFFFFFFFFFFFF0600140061312E6E707901001000E000000000000000AC000000000000009BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9366A1AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A663A0A469A3A0AB50A6403AE1D024D932C185ED94B2D3819BFABE4E6FE7D5F9C3F5B445DDF9F11DD19BCF7D199FD899142679E5F7EB3FFE2C5DB7A7F332ED96F0BB0AD0BB4FB64DFA6B1F2AE80C47D7BE71377F772C85CB737DE9A3F4FC4F0F07EE785D257DE1EF9B0DFA4ACFFDBDC50E5FD00504B03042D000000080000002100C09567C8FFFFFFFFFFFFFFFF0600140061322E6E707901001000800000000000000044000000000000009BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9369A1AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A063A9A3A0AB50A14002E00504B03042D000000080000002100FB8AD71CFFFFFFFFFFFFFFFF0600140061332E6E707901001000980000000000000047000000000000009BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9369A2AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A663A9A3A0AB50A14002E061C0000504B010214031400000008006461765D4502BE0092010000A20300000A00000000000000000000008001000000006D6F64656C2E6A736F6E504B01022D032D000000080000002100EB9A913AAC000000E00000000600000000000000000000008001BA01000061302E6E7079504B01022D032D00000008000000210048AA1948AC000000E000000006000000000000000000000080019E02000061312E6E7079504B01022D032D000000080000002100C09567C8440000008000000006000000000000000000000080018203000061322E6E7079504B01022D032D000000080000002100FB8AD71C47000000980000000600000000000000000000008001FE03000061332E6E7079504B05060000000005000500080100007D0400000000','[[0.639597,0.639783],[-0.41835,0.0951246],[-0.758867,-0.564295],[1.23615,-0.0897638],[0.292937,0.258944],[-0.991469,-0.339795]]','[0.659817,0.656885,0.651589,0.61849,0.66975,0.631141]','{"error":0.5,"low":0.0945312,"high":0.905469,"held_out":2,"fitted":25,"shown":[15,12,14,15,10,15],"trust":1.0,"seconds":0.0682132,"strategies":{},"ceiling":null,"advice":[{"more":6,"gain":0.014462,"low":-0.0341695,"high":0.0669527,"trials":8,"hours":0.11,"cost":0.0,"currency":"USD"},{"more":25,"gain":0.0316504,"low":-0.0250817,"high":0.097397,"trials":32,"hours":0.44,"cost":0.0,"currency":"USD"}]}');
CREATE TABLE studies (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	settings VARCHAR NOT NULL, 
	stimuli JSON NOT NULL, 
	state VARCHAR NOT NULL, 
	created DOUBLE NOT NULL, changes JSON, 
	CONSTRAINT pk_studies PRIMARY KEY (id), 
	CONSTRAINT uq_studies_name UNIQUE (name)
);
INSERT INTO "studies" VALUES(1,'words','[study]
name = "words"
title = "Words that are alike"

[stimuli]
items = "items.csv"

[tasks]
per_participant = 1
task_size = 10
practice = 2

[asking]
start_per_head = 2
refit_every = 10
held_out = 0.1

[quality]
rules = [{ measure = "side", above = 0.95, after = 10, action = "flag" }]

[recruitment]
source = "prolific"
completion_code = "C0FFEE42"

[pages]
questionnaire = ["pages/about.md"]
','{"calm":"2b4b2eadf7b2aece598d2f2ad4637361","loud":"db1a60bbff220d0910f017477df18cb7","bright":"a87b3e348ccb598ecb71bb83300a2bf8","dark":"e6bb5689beec52c4672bd4df92c3613d","soft":"f5f445528f4a0134354c891fbd95fd07","sharp":"632e93023886160a2a5494cd49aeb729"}','open',1.79534946643870520592e+09,NULL);
CREATE TABLE tallies (
	participant INTEGER NOT NULL, 
	study INTEGER NOT NULL, 
	answers INTEGER NOT NULL, 
	flagged BOOLEAN NOT NULL, 
	figures JSON NOT NULL, 
	CONSTRAINT pk_tallies PRIMARY KEY (participant), 
	CONSTRAINT fk_tallies_participant FOREIGN KEY(participant) REFERENCES participants (id), 
	CONSTRAINT fk_tallies_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "tallies" VALUES(1,1,10,1,'{"answers":10,"skipped":0,"gold_answers":2,"gold_right":1,"repeat_answers":0,"repeat_agreement":null,"median_rt_ms":400.0,"fast_share":0.0,"side_share":1.0,"likelihood":0.792736,"flags":"side 1.00 in 10 answers (rule: side above 0.95)","latest":1795349466.6555328}');
INSERT INTO "tallies" VALUES(2,1,4,0,'{"answers":4,"skipped":1,"gold_answers":1,"gold_right":0,"repeat_answers":0,"repeat_agreement":null,"median_rt_ms":400.0,"fast_share":0.0,"side_share":0.5,"likelihood":0.459235,"flags":"","latest":1795349466.940684}');
INSERT INTO "tallies" VALUES(3,1,10,1,'{"answers":10,"skipped":0,"gold_answers":2,"gold_right":0,"repeat_answers":0,"repeat_agreement":null,"median_rt_ms":400.0,"fast_share":0.0,"side_share":1.0,"likelihood":0.624744,"flags":"side 1.00 in 10 answers (rule: side above 0.95)","latest":1795349467.087044}');
CREATE INDEX ix_pages_study ON pages (study);
CREATE INDEX ix_exclusions_study ON exclusions (study);
CREATE INDEX ix_events_study ON events (study);
CREATE INDEX ix_answers_participant ON answers (participant);
CREATE INDEX ix_answers_log ON answers (study, id);
CREATE INDEX ix_questions_study ON questions (study, served);
CREATE INDEX ix_questions_pool ON questions (pool_id);
CREATE INDEX ix_questions_out ON questions (participant) WHERE state = 'out';
CREATE INDEX ix_pool_free ON pool (study, id) WHERE taken IS NULL;
CREATE INDEX ix_spaces_study_id ON spaces (study, id);
CREATE INDEX ix_tallies_study ON tallies (study);
CREATE INDEX ix_exclusions_participant ON exclusions (participant, id);
CREATE INDEX ix_events_trail ON events (study, id) WHERE what NOT IN ('fit', 'map');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',10);
INSERT INTO "sqlite_sequence" VALUES('answers',43);
INSERT INTO "sqlite_sequence" VALUES('pool',360);
INSERT INTO "sqlite_sequence" VALUES('exclusions',1);
INSERT INTO "sqlite_sequence" VALUES('spaces',2);
COMMIT;
